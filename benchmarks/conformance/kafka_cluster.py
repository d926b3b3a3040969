"""Runs three Kafka 3.4 brokers on this machine, lets them fail, and checks what they logged.

    python benchmarks/conformance/kafka_cluster.py --jars DIR --out DIR [--unclean] [--rounds N]

The jars of Kafka are in the DIR of --jars; Maven copies them there where there are none. Maven and
Java 11 or 17 have to be on the PATH. ZooKeeper, three brokers and a producer listen on the loopback
interface only.

Each round writes records, kills the leader (-9), writes more, and starts the broker again. With
--unclean a round stops the followers, writes to the leader alone (acks=1), kills it, and lets a
follower lead. The brokers' logs and the events made of them are in --out, and the verdicts of
`bmc trace check` are printed: clean runs conform to kafka-kip320-deployed, unclean ones to
kafka-kip320-deployed-unclean only.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

HERE = Path(__file__).resolve().parent
TOPIC, PARTITION = "t", "t-0"
ZOOKEEPER_PORT, FIRST_PORT = 21810, 19091
BROKERS = (1, 2, 3)
LOG4J = """
log4j.rootLogger=WARN, F
log4j.appender.F=org.apache.log4j.FileAppender
log4j.appender.F.File=${logfile}
log4j.appender.F.layout=org.apache.log4j.PatternLayout
log4j.appender.F.layout.ConversionPattern=[%d] %p %c %m%n
log4j.logger.state.change.logger=TRACE
log4j.logger.kafka.cluster.Partition=TRACE
log4j.logger.kafka.log.UnifiedLog=TRACE
log4j.logger.kafka.server.ReplicaFetcherThread=TRACE
log4j.logger.kafka.controller=DEBUG
log4j.logger.kafka.server.epoch=DEBUG
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bmc</groupId><artifactId>kafka-jars</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId>
      <version>3.4.1</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId>
      <version>1.7.36</version></dependency>
  </dependencies>
</project>
"""
BROKER = """
broker.id={broker}
listeners=PLAINTEXT://127.0.0.1:{port}
zookeeper.connect=127.0.0.1:{zookeeper}
log.dirs={data}
replica.lag.time.max.ms=3000
zookeeper.session.timeout.ms=4000
offsets.topic.replication.factor=1
unclean.leader.election.enable={unclean}
"""
ZOOKEEPER = """
dataDir={data}
clientPort={port}
clientPortAddress=127.0.0.1
admin.enableServer=false
"""


class ClusterFailed(Exception):
    """The cluster cannot be run here; the message says what is missing."""


@dataclass
class Cluster:
    """Processes of a cluster, whose files are in one folder."""

    jars: Path
    folder: Path
    unclean: bool
    running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    zookeeper: subprocess.Popen[bytes] | None = None

    def java(self, *words: str, heap: int = 128, logfile: str = "tools.log") -> list[str]:
        """Return a command that runs a class of the jars."""
        return [
            *("java", f"-Xmx{heap}m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            *("-cp", f"{self.jars}/*", f"-Dlogfile={self.folder / logfile}"),
            f"-Dlog4j.configuration={(self.folder / 'log4j.properties').as_uri()}",
            *words,
        ]

    def start(self) -> None:
        """Start ZooKeeper and all brokers, and make the topic."""
        (self.folder / "log4j.properties").write_text(LOG4J, encoding="utf-8")
        config = self.folder / "zookeeper.properties"
        data = self.folder / "zookeeper"
        config.write_text(ZOOKEEPER.format(data=data, port=ZOOKEEPER_PORT), encoding="utf-8")
        peer = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        command = self.java(peer, str(config), logfile="zookeeper.log")
        self.zookeeper = self._process(command, "zookeeper.out")
        for broker in BROKERS:
            self.start_broker(broker)
        created = ("--create", "--topic", TOPIC, "--partitions", "1", "--replication-factor", "3")
        self._until(lambda: self.tool("kafka.admin.TopicCommand", *created), "the topic is made")

    def start_broker(self, broker: int) -> None:
        """Start a broker; its log goes on where it ended."""
        config = self.folder / f"broker{broker}.properties"
        text = BROKER.format(
            broker=broker,
            port=FIRST_PORT + broker - 1,
            zookeeper=ZOOKEEPER_PORT,
            data=self.folder / f"data{broker}",
            unclean=str(self.unclean).lower(),
        )
        config.write_text(text, encoding="utf-8")
        command = self.java("kafka.Kafka", str(config), heap=384, logfile=f"broker{broker}.log")
        self.running[broker] = self._process(command, f"broker{broker}.out")

    def signal(self, broker: int, number: signal.Signals) -> None:
        """Send a signal to a broker; a killed one is waited for."""
        process = self.running[broker]
        process.send_signal(number)
        if number is signal.SIGKILL:
            process.wait()
            del self.running[broker]

    def stop(self) -> None:
        """End every process that was started."""
        for process in (*self.running.values(), self.zookeeper):
            if process is not None:
                process.kill()
                process.wait()

    def leader(self) -> int:
        """Return the broker that leads, as the brokers say; wait until one that runs does."""
        found: list[int] = []

        def known() -> bool:
            said = self.tool("kafka.admin.TopicCommand", "--describe", "--topic", TOPIC)
            leaders = re.findall(r"Leader: (\d+)", said or "")
            found[:] = [int(one) for one in leaders if int(one) in self.running]
            return bool(found)

        self._until(known, "a broker leads")
        return found[0]

    def produce(self, records: int, acks: str) -> None:
        """Write so many records, and wait until they are acknowledged."""
        lines = "".join(f"{n}\n" for n in range(records))
        self._until(
            lambda: self.tool(
                *("kafka.tools.ConsoleProducer", "--topic", TOPIC),
                *("--request-required-acks", acks),
                said=lines,
            ),
            "records are written",
        )

    def tool(self, name: str, *words: str, said: str = "") -> str | None:
        """Run a tool against the brokers that run; what it prints, None where it fails."""
        servers = ",".join(f"127.0.0.1:{FIRST_PORT + one - 1}" for one in self.running)
        command = self.java(name, "--bootstrap-server", servers, *words)
        try:
            ended = subprocess.run(
                command, input=said, capture_output=True, text=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        return (ended.stdout or "done") if ended.returncode == 0 else None

    def _process(self, command: Sequence[str], output: str) -> subprocess.Popen[bytes]:
        with (self.folder / output).open("ab") as out:
            return subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder)

    def _until(self, done: object, what: str, seconds: float = 180.0) -> None:
        assert callable(done)
        end = monotonic() + seconds
        while not done():
            dead = [f"broker {n}" for n, p in self.running.items() if p.poll() is not None]
            if dead or monotonic() > end:
                why = f"{', '.join(dead)} ended" if dead else f"not within {seconds:g} s"
                raise ClusterFailed(f"waiting until {what}: {why}; see {self.folder}")
            sleep(0.5)


def clean_round(cluster: Cluster) -> None:
    """The leader is killed between two writes and started again."""
    cluster.produce(2, "all")
    leader = cluster.leader()
    cluster.signal(leader, signal.SIGKILL)
    cluster.leader()
    cluster.produce(2, "all")
    cluster.start_broker(leader)
    sleep(8)


def unclean_round(cluster: Cluster) -> None:
    """The leader alone has records, and somebody else is elected."""
    cluster.produce(2, "all")
    leader = cluster.leader()
    others = [broker for broker in BROKERS if broker != leader]
    for broker in others:
        cluster.signal(broker, signal.SIGKILL)
    sleep(8)
    cluster.produce(2, "1")
    cluster.signal(leader, signal.SIGKILL)
    for broker in others:
        cluster.start_broker(broker)
    cluster.leader()
    cluster.produce(1, "1")
    cluster.start_broker(leader)
    sleep(8)


def checked(folder: Path, protocol: str) -> str:
    """Make events of the brokers' logs, check them against a protocol, return what is said."""
    sys.path.insert(0, str(HERE))
    from kafka_log4j import merged

    log, mapping = folder / "events.ndjson", folder / f"{protocol}.map.toml"
    found = merged(PARTITION, [folder / f"broker{n}.log" for n in BROKERS])
    log.write_text("".join(json.dumps(event) + "\n" for event in found), encoding="utf-8")
    text = (HERE / "kafka-deployed.map.toml").read_text(encoding="utf-8")
    text = text.replace('"kafka-kip320-deployed"', f'"{protocol}"')
    if protocol.endswith("unclean"):
        text = text.replace('"ControllerFailover"]', '"ControllerFailover", "UncleanElection"]')
    mapping.write_text(text, encoding="utf-8")
    command = ("trace", "check", protocol, "--log", str(log), "--map", str(mapping))
    ended = subprocess.run(
        [sys.executable, "-m", "bmc", *command], capture_output=True, text=True, check=False
    )
    return ended.stdout + ended.stderr


def fetch_jars(folder: Path) -> None:
    """Have Maven copy Kafka's jars into a folder that has none."""
    if list(folder.glob("kafka_2.13-*.jar")):
        return
    if shutil.which("mvn") is None:
        raise ClusterFailed(f"{folder} has no jars of Kafka, and there is no mvn on the PATH")
    folder.mkdir(parents=True, exist_ok=True)
    pom = folder / "pom.xml"
    pom.write_text(POM, encoding="utf-8")
    copy = ("dependency:copy-dependencies", f"-DoutputDirectory={folder}")
    ended = subprocess.run(
        ["mvn", "-q", "-B", "-f", str(pom), *copy], capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise ClusterFailed(f"Maven does not fetch Kafka's jars: {ended.stdout.strip()[-500:]}")


def main() -> None:
    """Run a cluster, and print the verdicts on what it logged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jars", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--unclean", action="store_true")
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    if shutil.which("java") is None:
        sys.exit("there is no java on the PATH: install Java 11 or 17")
    asked.out.mkdir(parents=True)
    cluster = Cluster(asked.jars.resolve(), asked.out.resolve(), asked.unclean)
    try:
        fetch_jars(cluster.jars)
        cluster.start()
        for _ in range(asked.rounds):
            (unclean_round if asked.unclean else clean_round)(cluster)
    except ClusterFailed as error:
        sys.exit(str(error))
    finally:
        cluster.stop()
    for protocol in ("kafka-kip320-deployed", "kafka-kip320-deployed-unclean"):
        print(checked(cluster.folder, protocol))


if __name__ == "__main__":
    main()
