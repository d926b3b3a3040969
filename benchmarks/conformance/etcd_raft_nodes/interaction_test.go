//go:build with_tla

package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/cockroachdb/datadriven"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/rafttest"
)

var logs = flag.String("logs", ".", "the folder that the traces are written to")

// Raft's own interaction tests, each with its trace in a file of its name:
//
//	go test -tags with_tla . -run Interaction -logs DIR
func TestInteraction(t *testing.T) {
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.etcd.io/raft/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	datadriven.Walk(t, filepath.Join(strings.TrimSpace(string(found)), "testdata"), func(t *testing.T, path string) {
		name := strings.TrimSuffix(filepath.Base(path), ".txt") + ".ndjson"
		out, err := os.Create(filepath.Join(*logs, name))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		trace := tracer{json.NewEncoder(out)}
		env := rafttest.NewInteractionEnv(&rafttest.InteractionOpts{
			OnConfig:                     func(c *raft.Config) { c.TraceLogger = trace },
			SetRandomizedElectionTimeout: setRandomizedElectionTimeout,
		})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return env.Handle(t, *d)
		})
	})
}

// Raft has this function for its own tests only.
func setRandomizedElectionTimeout(node *raft.RawNode, timeout int) {
	inner := reflect.ValueOf(node).Elem().FieldByName("raft").Elem().FieldByName("randomizedElectionTimeout")
	*(*int)(unsafe.Pointer(inner.UnsafeAddr())) = timeout
}
