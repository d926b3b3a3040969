"""FiniteReplicatedLog.tla of hachikuji/kafka-specification: logs that start at offset 0."""

from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    Sort,
    State,
    Step,
    Variable,
    action,
    conj,
    forall,
    implies,
    is_none,
    is_some,
    ite,
    mapping,
    one_of,
    record,
    the,
)
from bmc.lang.sorts import IntSort


class ReplicatedLogOperators:
    """FiniteReplicatedLog's operators on one variable (``INSTANCE … WITH logs <- …``).

    A log is ``[endOffset, records]``; records at and beyond the end are Nil (none), so that
    equal logs are equal states. The specification's ``\\E record \\in LogRecords :
    HasEntry(r, record, offset)`` is :meth:`HasSomeEntry`.
    """

    def __init__(
        self, logs: str, replicas: Sort, offsets: IntSort, records: Sort, log_size: Parameter
    ) -> None:
        self.logs = logs
        self.Replicas = replicas
        self.Offsets = offsets
        self.LogRecords = records
        self.LogSize = log_size
        self.Log = self.log_sort()
        self.Logs = MapSort(replicas, self.Log)

    def log_sort(self) -> Sort:
        """``LogType``."""
        return Record(
            "Log",
            endOffset=self.Offsets.to(self.LogSize),
            records=MapSort(self.Offsets, OptionSort(self.LogRecords)),
        )

    def log(self, s: State, replica: Operand) -> Expr:
        """``logs[replica]``."""
        log: Expr = getattr(s, self.logs)[replica]
        return log

    def EmptyLog(self) -> Expr:
        return record(self.Log, endOffset=0, records=mapping(self.Offsets, self._nil, self._entry))

    @property
    def _entry(self) -> Sort:
        return OptionSort(self.LogRecords)

    @staticmethod
    def _nil(offset: Expr) -> None:
        return None

    def IsEmpty(self, s: State, replica: Operand) -> Expr:
        return self.log(s, replica).endOffset == 0

    def IsFull(self, s: State, replica: Operand) -> Expr:
        return self.log(s, replica).endOffset == self.LogSize

    def HasOffset(self, s: State, replica: Operand, offset: Operand) -> Expr:
        return self.log(s, replica).endOffset > offset

    def HasEntry(self, s: State, replica: Operand, record: Operand, offset: Operand) -> Expr:
        """``record`` is an entry or Nil; the specification only ever asks for records."""
        return conj(
            self.HasOffset(s, replica, offset),
            self.log(s, replica).records[offset] == record,
        )

    def HasSomeEntry(self, s: State, replica: Operand, offset: Operand) -> Expr:
        """``\\E record \\in LogRecords : HasEntry(replica, record, offset)``."""
        return conj(
            self.HasOffset(s, replica, offset),
            is_some(self.log(s, replica).records[offset]),
        )

    def HaveSameEntry(self, s: State, one: Operand, other: Operand, offset: Operand) -> Expr:
        """``\\E record : HasEntry(one, record, offset) /\\ HasEntry(other, record, offset)``."""
        return conj(
            self.HasSomeEntry(s, one, offset),
            self.HasEntry(s, other, self.log(s, one).records[offset], offset),
        )

    def GetLatestRecord(self, s: State, replica: Operand) -> Expr:
        """The last record; like the specification's, it is read only of logs not empty."""
        log = self.log(s, replica)
        return the(log.records[log.endOffset - 1])

    def GetEndOffset(self, s: State, replica: Operand) -> Expr:
        return self.log(s, replica).endOffset

    def GetRecordAtOffset(self, s: State, replica: Operand, offset: Operand) -> Expr:
        return the(self.log(s, replica).records[offset])

    def IsWritten(self, s: State, replica: Operand, offset: Operand) -> Expr:
        """``offset \\in GetWrittenOffsets(replica)``."""
        return self.HasOffset(s, replica, offset)

    def IsUnwritten(self, s: State, replica: Operand, offset: Operand) -> Expr:
        """``offset \\in GetUnwrittenOffsets(replica)``."""
        return self.log(s, replica).endOffset <= offset

    def ReplicaLogTypeOk(self, s: State, replica: Operand) -> Expr:
        log = self.log(s, replica)
        return conj(
            log.endOffset >= 0,
            log.endOffset <= self.LogSize,
            forall(
                self.Offsets,
                lambda offset: conj(
                    implies(self.IsWritten(s, replica, offset), is_some(log.records[offset])),
                    implies(self.IsUnwritten(s, replica, offset), is_none(log.records[offset])),
                ),
            ),
        )

    def TypeOk(self, s: State) -> Expr:
        return forall(self.Replicas, lambda replica: self.ReplicaLogTypeOk(s, replica))

    def Init(self, s: Step) -> None:
        setattr(s, self.logs, mapping(self.Replicas, lambda replica: self.EmptyLog(), self.Log))

    def Append(self, s: Step, replica: Operand, record: Operand, offset: Operand) -> None:
        log = getattr(s, self.logs)[replica]
        s.require(~self.IsFull(s, replica), log.endOffset == offset)
        log.records[offset] = record
        log.endOffset = log.endOffset + 1

    def TruncateTo(self, s: Step, replica: Operand, newEndOffset: Expr) -> None:
        log = getattr(s, self.logs)[replica]
        s.require(newEndOffset <= log.endOffset)
        log.records = self._cut(log, newEndOffset)
        log.endOffset = newEndOffset

    def _cut(self, log: Expr, newEndOffset: Expr) -> Expr:
        return mapping(
            self.Offsets,
            lambda offset: ite(offset < newEndOffset, log.records[offset], None),
            self._entry,
        )

    def ReplicateTo(self, s: Step, fromReplica: Operand, toReplica: Operand) -> None:
        """The offset and record of the specification's ``\\E`` are the target's end offset and
        what the source holds there."""
        offset = self.GetEndOffset(s, toReplica)
        s.require(self.HasSomeEntry(s, fromReplica, offset))
        self.Append(s, toReplica, self.log(s, fromReplica).records[offset], offset)


class ReplicatedLog(Protocol):
    """Replicas that append to, truncate and copy from each other's logs."""

    replicas = Parameter("replicas", 2, 1, 9, "number of replicas")
    log_size = Parameter(
        "log_size", 2, 1, 64, "offsets a log can hold", ends="a full log is not appended to"
    )
    log_records = Parameter("log_records", 2, 1, 64, "number of different records")

    Replica = Scalarset("Replica", replicas)
    LogRecord = Scalarset("LogRecord", log_records)
    Offset = Integer("Offset", 0, log_size - 1)

    log = ReplicatedLogOperators("logs", Replica, Offset, LogRecord, log_size)
    logs = Variable(log.Logs, "the log of each replica")

    @action()
    def Init(self, s: Step) -> None:
        self.log.Init(s)

    @action(replica=Replica, record=LogRecord, offset=Offset)
    def Append(self, s: Step, replica: Expr, record: Expr, offset: Expr) -> None:
        self.log.Append(s, replica, record, offset)

    @action(replica=Replica, offset=Offset)
    def TruncateTo(self, s: Step, replica: Expr, offset: Expr) -> None:
        self.log.TruncateTo(s, replica, offset)

    @action(replica=Replica, otherReplica=Replica)
    def ReplicateTo(self, s: Step, replica: Expr, otherReplica: Expr) -> None:
        s.require(otherReplica != replica)
        self.log.ReplicateTo(s, replica, otherReplica)

    Next = one_of(Append, TruncateTo, ReplicateTo)
