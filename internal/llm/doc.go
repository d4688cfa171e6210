// Package llm reaches language models and embedding models outside the process:
// Ollama by its native API, any server that speaks OpenAI's chat completions,
// Anthropic and Gemini. Each is a Dialect, a record in the list of Builtin; those
// whose answers are plain server-sent events share one loop (stream.go).
//
// Every adapter keeps the promises of ibid.Model the same way:
//
//   - a stream without its protocol's terminal marker is a failure, however
//     politely the connection was closed;
//   - thinking is told apart from the answer wherever the server puts it
//     (sift.ThinkSplitter), and a tool call that leaks into the text becomes a call
//     and is never shown (sift.Calls);
//   - cancelling closes the connection before Generate returns (guard);
//   - what the other side says is data: bounded in size, checked, scrubbed of
//     our key before it reaches an error.
package llm
