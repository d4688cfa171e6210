import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { request } from "../api/client";
import type { MadeFile } from "../api/types";
import { fileOf } from "../ask/attachments";
import type { RunView } from "../run/view";

/** Pictures that the answer made, below its text. */
export function Pictures({ view }: { view: RunView }) {
  const files = view.steps.flatMap((s) => (s.kind === "tool" ? s.files.map((file) => ({ file, about: s.detail })) : []));
  if (files.length === 0) return null;
  return (
    <div className="pictures">
      {files.map(({ file, about }) => (
        <Picture key={`${file.message_id} ${file.n}`} file={file} about={about || file.name} />
      ))}
    </div>
  );
}

/** Fetched by script, which can carry a token where an address could not. */
function Picture({ file, about }: { file: MadeFile; about: string }) {
  const { data } = useQuery({
    queryKey: ["file", file.message_id, String(file.n)],
    queryFn: async ({ signal }) => (await request(fileOf(file.message_id, file.n), { signal })).blob(),
    enabled: file.mime.startsWith("image/"),
    staleTime: Infinity,
  });
  const url = useMemo(() => (data ? URL.createObjectURL(data) : undefined), [data]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  return url ? (
    <figure>
      <img src={url} alt={about} />
      <figcaption className="faint">{about}</figcaption>
    </figure>
  ) : null;
}
