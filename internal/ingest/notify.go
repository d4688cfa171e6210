package ingest

import "strings"

// The topics that pipelines notify each other of; <document> is the id of one.
//
//	documents             something waits to be read
//	document/<document>   it changed: how far it has come, or what is wanted of it
const (
	topicQueue    = "documents"
	topicDocument = "document/"
)

func (p *Pipeline) notify(topic string) {
	if p.cfg.Notifier != nil {
		p.cfg.Notifier.Notify(p.base, topic)
	}
}

// announce says that a document has changed, here and in the other processes.
func (p *Pipeline) announce(documentID string) {
	p.activity.tell(documentID)
	p.notify(topicDocument + documentID)
}

// listen looks at what other processes give hints of.
func (p *Pipeline) listen(topics <-chan string) {
	for topic := range topics {
		if id, ok := strings.CutPrefix(topic, topicDocument); ok {
			p.activity.tell(id)
			p.nudgeFeed()
			if l, working := p.jobs.on(id); working {
				p.renew(l)
			}
			continue
		}
		switch topic {
		case topicQueue:
			p.nudge()
		case "":
			p.activity.loseTrack()
			p.nudgeFeed()
			p.nudge()
		}
	}
}
