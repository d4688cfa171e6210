package client

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"ibid"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func threadPath(id, action string) string { return "/v1/threads/" + url.PathEscape(id) + action }

// Ask asks a question in a conversation, which need not be there yet.
func (c *Client) Ask(ctx context.Context, thread string, q api.Question) (api.Asked, error) {
	return answer[api.Asked](ctx, c, post(threadPath(thread, "/user_message"), q))
}

// Stop ends the run of a conversation. The answer comes once the connection to the
// model is closed.
func (c *Client) Stop(ctx context.Context, thread string) (api.Stopped, error) {
	return answer[api.Stopped](ctx, c, post(threadPath(thread, "/stop"), struct{}{}))
}

// threadPage returns a part of the list of conversations, the one that changed last
// first, and the cursor of the next part; "" at the end. An id that is not "" is
// what their ids begin with.
func (c *Client) threadPage(ctx context.Context, id, cursor string, limit int) (threads []ibid.Thread, next string, err error) {
	r := get("/v1/threads")
	r.query = pageQuery(cursor, limit)
	if id != "" {
		r.query.Set("id", id)
	}
	part, err := answer[api.Threads](ctx, c, r)
	return part.Threads, part.Next, err
}

// Threads returns all conversations, the one that changed last first.
func (c *Client) Threads(ctx context.Context) ([]ibid.Thread, error) {
	var all []ibid.Thread
	for cursor, more := "", true; more; more = cursor != "" {
		part, next, err := c.threadPage(ctx, "", cursor, ibid.MaxLimit)
		if err != nil {
			return nil, err
		}
		all, cursor = append(all, part...), next
	}
	return all, nil
}

// FindThread returns the id of the conversation that an id or its beginning means.
func (c *Client) FindThread(ctx context.Context, name string) (string, error) {
	var found []ibid.Thread
	if name != "" {
		var err error
		if found, _, err = c.threadPage(ctx, name, "", ibid.MaxLimit); err != nil {
			return "", err
		}
	}
	whole := slices.ContainsFunc(found, func(t ibid.Thread) bool { return t.ID == name })
	switch {
	case whole:
		return name, nil
	case len(name) < leastPrefix:
		found = nil
	case len(found) == 1:
		return found[0].ID, nil
	}
	err := ibid.Errorf(ibid.CodeNotFound, "there is no conversation %q", name)
	if len(found) > 1 {
		err = ibid.Errorf(ibid.CodeBadRequest, "%q is the beginning of %s", name, say.Count(len(found), "conversation"))
	}
	err.Hint = "`ibid ls --threads` lists them"
	return "", err
}

// Messages returns the branch of a conversation that is shown, oldest first.
func (c *Client) Messages(ctx context.Context, threadID string) ([]ibid.Message, error) {
	var parts [][]ibid.Message // newest first
	for cursor, more := "", true; more; more = cursor != "" {
		r := get(threadPath(threadID, "/messages"))
		r.query = pageQuery(cursor, ibid.MaxLimit)
		part, err := answer[api.Messages](ctx, c, r)
		if err != nil {
			return nil, err
		}
		messages := make([]ibid.Message, len(part.Messages))
		for i, m := range part.Messages {
			messages[i] = m.Message
		}
		parts, cursor = append(parts, messages), part.Next
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), nil
}

// DeleteThread removes a conversation; Restore takes that back.
func (c *Client) DeleteThread(ctx context.Context, id string) error {
	return c.call(ctx, remove(threadPath(id, "")), nil)
}

// pageQuery asks for a part of a list.
func pageQuery(cursor string, limit int) url.Values {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}
