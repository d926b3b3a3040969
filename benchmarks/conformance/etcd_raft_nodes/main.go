// Nodes of etcd's raft in one process, whose trace is written to stdout as NDJSON.
//
//	go mod tidy && go run -tags with_tla . [-seed N] [-rounds N] [-lost PERCENT] > nodes.ndjson
//
// The network delays and loses messages, nodes time out, and one more node joins and leaves. The
// same seed gives the same trace but for its time stamps, which are left out.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"math/rand"
	"os"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

type tracer struct{ out *json.Encoder }

func (t tracer) TraceEvent(e *raft.TracingEvent) {
	if err := t.out.Encode(map[string]any{"tag": "trace", "event": e}); err != nil {
		log.Fatal(err)
	}
}

type node struct {
	raw     *raft.RawNode
	storage *raft.MemoryStorage
}

func start(id uint64, t tracer) *node {
	storage := raft.NewMemoryStorage()
	raw, err := raft.NewRawNode(&raft.Config{
		ID:              id,
		ElectionTick:    10,
		HeartbeatTick:   1,
		Storage:         storage,
		MaxSizePerMsg:   1 << 20,
		MaxInflightMsgs: 8,
		Logger:          &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)},
		TraceLogger:     t,
	})
	if err != nil {
		log.Fatal(err)
	}
	return &node{raw, storage}
}

// settle persists what is ready, applies what is committed, and returns what is to be sent.
func (n *node) settle() []*pb.Message {
	var sent []*pb.Message
	for n.raw.HasReady() {
		ready := n.raw.Ready()
		if !raft.IsEmptyHardState(ready.HardState) {
			if err := n.storage.SetHardState(ready.HardState); err != nil {
				log.Fatal(err)
			}
		}
		if err := n.storage.Append(ready.Entries); err != nil {
			log.Fatal(err)
		}
		sent = append(sent, ready.Messages...)
		for _, entry := range ready.CommittedEntries {
			if entry.GetType() == pb.EntryConfChange {
				change := &pb.ConfChange{}
				if err := proto.Unmarshal(entry.GetData(), change); err != nil {
					log.Fatal(err)
				}
				n.raw.ApplyConfChange(change)
			}
		}
		n.raw.Advance(ready)
	}
	return sent
}

func main() {
	seed := flag.Int64("seed", 1, "of all chances")
	rounds := flag.Int("rounds", 60, "how long")
	lost := flag.Int("lost", 10, "messages that are lost, of a hundred")
	flag.Parse()
	chance := rand.New(rand.NewSource(*seed))
	trace := tracer{json.NewEncoder(os.Stdout)}
	nodes := map[uint64]*node{}
	peers := []raft.Peer{{ID: 1}, {ID: 2}, {ID: 3}}
	for _, peer := range peers {
		nodes[peer.ID] = start(peer.ID, trace)
		if err := nodes[peer.ID].raw.Bootstrap(peers); err != nil {
			log.Fatal(err)
		}
	}
	var network []*pb.Message
	collect := func() {
		for id := uint64(1); id <= uint64(len(nodes)); id++ {
			network = append(network, nodes[id].settle()...)
		}
	}
	propose := func(kind pb.ConfChangeType, id uint64) {
		for leader := uint64(1); leader <= uint64(len(nodes)); leader++ {
			if nodes[leader].raw.BasicStatus().RaftState == raft.StateLeader {
				// A change that comes too early is refused, which is one more thing to trace.
				_ = nodes[leader].raw.ProposeConfChange(&pb.ConfChange{Type: kind.Enum(), NodeId: proto.Uint64(id)})
			}
		}
	}
	collect()
	_ = nodes[1].raw.Campaign()
	collect()
	for round := 1; round <= *rounds; round++ {
		switch round {
		case *rounds / 3:
			nodes[4] = start(4, trace)
			propose(pb.ConfChangeAddNode, 4)
		case *rounds * 2 / 3:
			propose(pb.ConfChangeRemoveNode, 4)
		case *rounds / 2:
			// The old leader goes on and hears of it later.
			_ = nodes[2].raw.Campaign()
		}
		for id := uint64(1); id <= uint64(len(nodes)); id++ {
			raw := nodes[id].raw
			if chance.Intn(4) == 0 {
				raw.Tick()
			}
			if raw.BasicStatus().RaftState == raft.StateLeader && chance.Intn(4) == 0 {
				_ = raw.Propose([]byte{byte(round)})
			}
		}
		collect()
		for deliveries := len(network) / 2; deliveries >= 0 && len(network) > 0; deliveries-- {
			at := chance.Intn(len(network))
			message := network[at]
			network = append(network[:at], network[at+1:]...)
			target, there := nodes[message.GetTo()]
			if !there || chance.Intn(100) < *lost {
				continue
			}
			_ = target.raw.Step(message)
			network = append(network, target.settle()...)
		}
	}
}
