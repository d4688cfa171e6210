package document

import (
	"context"
	"errors"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// Member is a file within a file: of an archive, or attached to a message.
type Member struct {
	Name string // with slashes, relative, without ".."
	Data []byte
}

// Members unpacks an archive, or the attachments of a message, and calls each
// for every file, from this goroutine. Files that are no archives have no
// members. What exceeds the limits is left out and named in the notice. An
// archive within an archive is a member like any other; it is the caller who
// decides how deep to go.
func (p *Pool) Members(ctx context.Context, req Request, each func(Member) error) (notice string, err error) {
	src, err := req.open(p.cfg.Limits.InputBytes)
	if err != nil {
		return "", err
	}
	defer src.close()
	ctx, release, err := p.enter(ctx, req.Killed)
	if err != nil {
		return "", err
	}
	defer release()
	var name string
	var d format.Done
	var refusal error // the caller's
	collect := func(kind frameKind, payload []byte) error {
		switch kind {
		case frameMember:
			return decode(payload, &name)
		case frameData:
			refusal = each(Member{Name: name, Data: payload})
			return refusal
		case frameDone:
			return decode(payload, &d)
		}
		return nil
	}
	err = p.run(ctx, p.job(taskMembers, req, src), src, p.deadline(), collect)
	var died *deathError
	switch {
	case refusal != nil:
		return "", refusal
	case errors.As(err, &died):
		if err := died.again(req, src); err != nil {
			return "", err
		}
		if errors.Is(died.reason, proc.ErrKilled) { // what came before stays
			return "", format.Refuse("the archive cannot be unpacked to its end: " + died.reason.Error())
		}
		return "", &ibid.Error{Code: deathCode(died.reason), Message: "the archive cannot be unpacked to its end", Err: died.reason}
	}
	return d.Notice, err
}

// sendMembers unpacks a file.
func (w *worker) sendMembers(f format.Format, file format.File) (format.Done, error) {
	if f.Members == nil {
		return format.Done{}, nil
	}
	u := format.NewUnpacker(func(name string, data []byte) error {
		if err := writeJSON(w.out, frameMember, name); err != nil {
			return err
		}
		return writeFrame(w.out, frameData, data)
	})
	err := f.Members(file, u)
	return format.Done{Notice: u.LeftOut.Notice()}, err
}
