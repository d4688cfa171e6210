package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed generate_image.md
var imageDescription string

var generateImage = Info{
	Name: "generate_image", Kind: ibid.ToolPicture, Description: imageDescription, Parameters: param.Schema(generateImageArguments{}),
	Doing: "Drawing an image", Done: "Drew an image", Verb: "made a picture",
}

type generateImageArguments struct {
	Prompt string `json:"prompt" about:"what the picture shows, in detail"`
	Form   string `json:"form,omitempty" enum:"square,wide,tall" about:"square when left out"`
}

// maxPicture bounds a picture that is kept, in bytes.
const maxPicture = 20 << 20

// Painter makes pictures.
type Painter interface {
	// Paint makes a picture of a form: square, wide or tall.
	Paint(ctx context.Context, prompt, form string) (ibid.Image, error)
}

// Gallery keeps pictures with the answer that they belong to.
type Gallery interface {
	// AddFile gives a message one more file and returns its place.
	AddFile(ctx context.Context, messageID string, f ibid.Attachment) (n int, err error)
}

// GenerateImage makes a picture and keeps it with the answer.
type GenerateImage struct {
	painter Painter
	gallery Gallery
}

// NewGenerateImage returns the tool.
func NewGenerateImage(painter Painter, gallery Gallery) *GenerateImage {
	return &GenerateImage{painter, gallery}
}

// Spec tells the model about the tool.
func (t *GenerateImage) Spec() ibid.ToolSpec { return generateImage.Spec() }

// Detail is the description of the picture.
func (t *GenerateImage) Detail(args json.RawMessage) string { return detail(args, "prompt") }

// Timeout is how long a picture may take: longer than what other tools do.
func (t *GenerateImage) Timeout() time.Duration { return 3 * time.Minute }

// Call makes the picture.
func (t *GenerateImage) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	args := generateImageArguments{Form: "square"}
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	image, err := t.painter.Paint(ctx, args.Prompt, args.Form)
	if err != nil {
		return explained(ctx, err, "make the picture")
	}
	if len(image.Data) > maxPicture {
		return failed("the picture is larger than %d MiB", maxPicture>>20), nil
	}
	_, kind, _ := strings.Cut(image.MIME, "/")
	picture := ibid.File{MessageID: env.MessageID, Attachment: ibid.Attachment{Name: line(args.Prompt, 60) + "." + kind, MIME: image.MIME,
		Bytes: int64(len(image.Data)), Data: image.Data}}
	if picture.N, err = t.gallery.AddFile(ctx, env.MessageID, picture.Attachment); err != nil {
		return ibid.ToolOutput{}, fmt.Errorf("keep a picture: %w", err)
	}
	picture.Data = nil
	return ibid.ToolOutput{Files: []ibid.File{picture}, Summary: "a picture: " + line(args.Prompt, 120),
		Content: defuse(fmt.Sprintf("The picture is made and is shown to the user under your answer. It has the id %s.", picture.ID()))}, nil
}
