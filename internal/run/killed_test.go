package run

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

// Each of the processes that have to do with one run is killed (SIGKILL) in turn: the
// one that works on it, the one that accepted it, and the one that watches it. The one
// that stops it stands in killed_unix_test.go.

func TestKilledProcessIsContinuedByAnother(t *testing.T) {
	dir := t.TempDir()
	there := startProcess(t, dir)
	there.tell("ask t1")
	id := there.says("asked")
	there.says("working")
	here, tell := openScripted(t, dir, often)
	w := here.watch(t, id)
	there.tell("say lost")
	w.word("lost")
	there.kill()
	tell("say found") // taken by the run that goes on here
	tell("end")
	w.finished(ibid.StatusCompleted)
	if run, err := here.db.Run(t.Context(), access.For(ibid.Owner), id); err != nil || run.Attempt != 2 {
		t.Errorf("run %+v, %v", run, err)
	}
}

// A stop of what a process held that is gone needs nobody's answer.
func TestStopOfWhatAKilledProcessHeld(t *testing.T) {
	here, there := twoProcesses(t, patient)
	id, _ := there.works(here, "t1")
	there.kill()
	if stopped, err := here.Stop(t.Context(), access.For(ibid.Owner), "t1"); err != nil || stopped != id {
		t.Fatalf("stopped %q, %v", stopped, err)
	}
	if m, err := here.db.Message(t.Context(), access.For(ibid.Owner), id); err != nil || m.Status != ibid.StatusStopped {
		t.Errorf("%+v, %v", m, err)
	}
}

// The process that accepted a question is killed while another works on it and a third
// watches. Both go on; what is taken over is only what the killed one worked on itself.
func TestTheOneThatAcceptedIsKilled(t *testing.T) {
	dir := t.TempDir()
	accepting := child{Dir: dir, MaxRuns: 1}.start(t)
	accepting.tell("ask t1") // now it has no room
	own := accepting.says("asked")
	accepting.says("working")
	accepting.tell("ask t2")
	id := accepting.says("asked")
	working := child{Dir: dir, MaxRuns: 1}.start(t) // its start claims what waits
	working.says("working")
	here, tell := openScripted(t, dir, patient)
	w := here.watch(t, id)
	working.tell("say one")
	w.word("one")

	accepting.kill()
	here.releaseLost()
	tell("say found") // here goes on with what the killed one worked on
	tell("end")
	here.watch(t, own).finished(ibid.StatusCompleted)
	here.saved(t, own, ibid.StatusCompleted, 2, "found")

	working.tell("say two")
	w.word("two")
	working.tell("end")
	w.finished(ibid.StatusCompleted)
	here.saved(t, id, ibid.StatusCompleted, 1, "onetwo")
}

// A question that waits outlives the process that accepted it.
func TestWhatWaitsOutlivesTheOneThatAccepted(t *testing.T) {
	dir := t.TempDir()
	accepting := child{Dir: dir, MaxRuns: 1}.start(t)
	accepting.tell("ask t1")
	accepting.says("asked")
	accepting.says("working")
	accepting.tell("ask t2")
	waiting := accepting.says("asked")
	accepting.kill()
	here := openHouse(t, dir, say("yes"), patient)
	here.watch(t, waiting).finished(ibid.StatusCompleted)
	here.saved(t, waiting, ibid.StatusCompleted, 1, "yes")
}

// A process that watches is killed: whoever works does not notice, the other watchers
// are told as before, and one that comes back sees the whole.
func TestTheOneThatWatchesIsKilled(t *testing.T) {
	here, there := twoProcesses(t, patient)
	id, w := there.works(here, "t1")
	watching := startProcess(t, here.dir)
	watching.tell("watch " + id)
	there.tell("say one")
	w.word("one")
	if saw := watching.says("saw"); saw != "one" {
		t.Errorf("the one that watches saw %q", saw)
	}
	watching.kill()
	for _, word := range []string{"two", "three", "four"} { // told by hints alone: here is patient
		there.tell("say " + word)
		w.word(word)
	}
	again := startProcess(t, here.dir)
	again.tell("watch " + id)
	if saw := again.says("saw"); saw != "onetwothreefour" {
		t.Errorf("who came back saw %q", saw)
	}
	there.tell("say five")
	if saw := again.says("saw"); saw != "five" {
		t.Errorf("who came back saw %q", saw)
	}
	there.tell("end")
	if saw := again.says("saw"); saw != "the end: "+string(ibid.StatusCompleted) {
		t.Errorf("who came back saw %q", saw)
	}
	w.finished(ibid.StatusCompleted)
	here.saved(t, id, ibid.StatusCompleted, 1, "onetwothreefourfive")
}
