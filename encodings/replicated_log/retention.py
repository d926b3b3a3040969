"""FiniteReplicatedLog.tla of divijvaidya/kafka-specification: logs whose head expires."""

from bmc.encodings.replicated_log.log import ReplicatedLog, ReplicatedLogOperators

from bmc.lang import (
    Expr,
    MapSort,
    Operand,
    OptionSort,
    Record,
    Sort,
    State,
    Step,
    Variable,
    action,
    conj,
    ite,
    mapping,
    one_of,
    record,
)


class RetentionOperators(ReplicatedLogOperators):
    """The operators of the log with a start offset, as far as its Next uses them."""

    def log_sort(self) -> Sort:
        return Record(
            "Log",
            endOffset=self.Offsets.to(self.LogSize),
            records=MapSort(self.Offsets, OptionSort(self.LogRecords)),
            startOffset=self.Offsets.to(self.LogSize),
        )

    def EmptyLog(self) -> Expr:
        return record(
            self.Log,
            endOffset=0,
            startOffset=0,
            records=mapping(self.Offsets, self._nil, self._entry),
        )

    def IsEmpty(self, s: State, replica: Operand) -> Expr:
        log = self.log(s, replica)
        return log.endOffset == log.startOffset

    def HasOffset(self, s: State, replica: Operand, offset: Operand) -> Expr:
        log = self.log(s, replica)
        return conj(log.endOffset > offset, log.startOffset <= offset)

    def ReplicaLogTypeOk(self, s: State, replica: Operand) -> Expr:
        log = self.log(s, replica)
        return conj(
            super().ReplicaLogTypeOk(s, replica),
            log.startOffset >= 0,
            log.startOffset <= self.LogSize,
            log.endOffset >= log.startOffset,
        )

    def TruncateFullyAndStartAt(self, s: Step, replica: Operand, newStartOffset: Expr) -> None:
        log = getattr(s, self.logs)[replica]
        s.require(newStartOffset >= log.startOffset)
        log.records = mapping(self.Offsets, self._nil, self._entry)
        log.startOffset = newStartOffset
        log.endOffset = newStartOffset

    def TruncateTo(self, s: Step, replica: Operand, newEndOffset: Expr) -> None:
        """Only a truncation to 0 is checked against the start offset, as published: one to an
        end between 0 and the start leaves a log that ends before it starts."""
        log = getattr(s, self.logs)[replica]
        s.require(newEndOffset <= log.endOffset)
        with s.either():
            s.require(newEndOffset == 0)
            self.TruncateFullyAndStartAt(s, replica, newEndOffset)
        with s.either():
            s.require(newEndOffset != 0)
            log.records = self._cut(log, newEndOffset)
            log.endOffset = newEndOffset

    def TruncateFromTailTillOffset(self, s: Step, replica: Operand, tillOffset: Expr) -> None:
        log = getattr(s, self.logs)[replica]
        s.require(tillOffset >= log.startOffset, tillOffset < log.endOffset)
        log.records = mapping(
            self.Offsets,
            lambda offset: ite(offset > tillOffset, log.records[offset], None),
            self._entry,
        )
        log.startOffset = tillOffset + 1


class ReplicatedLogRetention(ReplicatedLog):
    """The replicated log with start offsets and retention."""

    log = RetentionOperators(
        "logs",
        ReplicatedLog.Replica,
        ReplicatedLog.Offset,
        ReplicatedLog.LogRecord,
        ReplicatedLog.log_size,
    )
    logs = Variable(log.Logs, "the log of each replica")

    @action(replica=ReplicatedLog.Replica, offset=ReplicatedLog.Offset)
    def TruncateFromTailTillOffset(self, s: Step, replica: Expr, offset: Expr) -> None:
        self.log.TruncateFromTailTillOffset(s, replica, offset)

    Next = one_of(
        ReplicatedLog.Append,
        ReplicatedLog.TruncateTo,
        TruncateFromTailTillOffset,
        ReplicatedLog.ReplicateTo,
    )
