package run

import "strings"

// The topics that runners notify each other of; <run> is the id of one.
//
//	runs          a run waits, and the one who says so has no room for it
//	run/<run>     its log has grown
//	stop/<run>    somebody has asked for it to be stopped
const (
	topicRuns = "runs"
	topicRun  = "run/"
	topicStop = "stop/"
)

func (r *Runner) notify(topic string) {
	if r.cfg.Notifier != nil {
		r.cfg.Notifier.Notify(r.base, topic)
	}
}

// listen looks at what other processes give hints of.
func (r *Runner) listen(topics <-chan string) {
	for topic := range topics {
		if id, ok := strings.CutPrefix(topic, topicRun); ok {
			r.hub.wake(id)
			continue
		}
		if id, ok := strings.CutPrefix(topic, topicStop); ok {
			r.stopRequested(id)
			continue
		}
		switch topic {
		case topicRuns:
			r.nudge()
		case "":
			r.hub.wakeAll()
			for _, id := range r.activeIDs() {
				r.stopRequested(id)
			}
			r.nudge()
		}
	}
}

func (r *Runner) activeIDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]string, 0, len(r.active))
	for id := range r.active {
		ids = append(ids, id)
	}
	return ids
}
