package agent

import (
	"context"

	"ibid"
)

// maxImages is how many pictures of pages a run may show its model; a picture
// costs as much as a long passage. Later ones are only named.
const maxImages = 4

// loadImages fetches the pictures that tools have asked for and that this
// process has not got. The log only names them, so that a run which another
// process takes over shows the same. One that cannot be had is left out.
func (s *session) loadImages(ctx context.Context) {
	if s.cfg.PageImage == nil {
		return
	}
	for _, ref := range s.state.pages() {
		if _, tried := s.images[ref]; tried {
			continue
		}
		image, err := s.cfg.PageImage(ctx, s.task.View, ref)
		if err != nil {
			s.cfg.Log.Warn("a page cannot be shown to the model", "document", ref.DocumentID, "page", ref.Page, "file", ref.File, "error", err)
			image = ibid.Image{}
		}
		if s.images == nil {
			s.images = map[ibid.PageRef]ibid.Image{}
		}
		s.images[ref] = image
	}
}

// pages are the first pages that tools have asked to be shown.
func (s *state) pages() []ibid.PageRef {
	var refs []ibid.PageRef
	for _, r := range s.rounds {
		for _, c := range r.calls {
			if c.result != nil && c.result.Page != nil && len(refs) < maxImages {
				refs = append(refs, *c.result.Page)
			}
		}
	}
	return refs
}

// picture is the turn that shows the page of a call, after the results of its
// round: no provider takes pictures within them.
func picture(c *call, images map[ibid.PageRef]ibid.Image) (ibid.Turn, bool) {
	if c.result == nil || c.result.Page == nil {
		return ibid.Turn{}, false
	}
	image := images[*c.result.Page]
	if len(image.Data) == 0 {
		return ibid.Turn{}, false
	}
	shown := ibid.Picture{Tool: c.Name, Page: max(0, c.result.Page.Page)}
	return ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Picture: &shown}, {Image: &image}}}, true
}
