/** Every prompt, reply, header and document as the file it is exported as. */

import { useMemo, useState } from "react";
import { request } from "../../api/call.ts";
import type { Output } from "../../api/operation.ts";
import { useChange } from "../../data/use-change.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { brief, plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { openReference } from "../../parts/reference.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { reportProblem } from "../../shell/problems.ts";
import { useMay } from "../../shell/session.ts";
import type { Status } from "./dialectic-words.ts";
import { groupFiles } from "./group-files.ts";

type File = Output<"dialectic.tree">["files"][number];

export function FilesTab({ status }: { readonly status: Status }) {
  const { data, problem, refresh, isFirst } = useOperation("dialectic.tree", {
    session: status.runId,
  });
  const { above, groups } = useMemo(() => groupFiles(data?.files ?? []), [data]);
  const bytes = data?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  return (
    <section className="pane grow" aria-label="Files">
      <header className="dx-files-head">
        <h2>Files</h2>
        {data !== undefined && (
          <span className="small muted num cut dx-above" title={above}>
            {plural(data.files.length, "file")}, {brief(bytes)} bytes{" "}
            <span className="mono hide-n">in {above}</span>
          </span>
        )}
        <Exports status={status} />
      </header>
      <Scroll label="Files of this dialectic">
        <ProblemNote problem={problem} onRetry={refresh} />
        {isFirst && <SkeletonRows count={12} />}
        {data?.files.length === 0 && (
          <EmptyState title="Nothing has been written yet" command="dialectic tree">
            Every prompt, reply and document of the session gets its file here.
          </EmptyState>
        )}
        {groups.map(({ folder, files }) => (
          <details key={folder} className="dx-folder" open={files.length <= 12}>
            <summary className="group">
              <Icon name="right" small />
              <span className="mono cut">{folder}/</span>
              <span className="end num">{files.length}</span>
            </summary>
            <ul>
              {files.map((file) => (
                <FileLine key={file.path} file={file} />
              ))}
            </ul>
          </details>
        ))}
      </Scroll>
    </section>
  );
}

function FileLine({ file }: { readonly file: File & { readonly name: string } }) {
  const { artifactId, name, kind, bytes, hash } = file;
  const words = (
    <>
      <Icon name="file" small />
      <span className="mono small cut grow">{name}</span>
      <span className="micro muted hide-n">{kind.replaceAll("_", " ")}</span>
      <span className="micro muted num dx-bytes">{brief(bytes)}</span>
      <span className="micro mono faint hide-n dx-hash">{hash.slice(0, 10)}</span>
    </>
  );
  return (
    <li>
      {artifactId === undefined ? (
        <span className="dx-file">{words}</span>
      ) : (
        <button
          type="button"
          className="dx-file"
          onClick={() => openReference("artifact", artifactId)}
        >
          {words}
        </button>
      )}
    </li>
  );
}

function Exports({ status }: { readonly status: Status }) {
  const mayRun = useMay("run");
  const { run, isBusy, problem } = useChange("dialectic.export");
  const [done, setDone] = useState<Output<"dialectic.export">>();
  const [isLoading, setLoading] = useState(false);
  if (!mayRun) return null;
  const download = async () => {
    setLoading(true);
    try {
      const address = `/api/archives/dialectic?session=${encodeURIComponent(status.runId)}`;
      const response = await request(address, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      saveFile(`dialectic-${status.runId}.zip`, await response.blob());
    } catch (error) {
      reportProblem(error);
    } finally {
      setLoading(false);
    }
  };
  const write = async (as: "tree" | "zip") => {
    setDone(await run({ session: status.runId, as }));
  };
  return (
    <>
      <span className="end row">
        <Button size="small" icon="file" isBusy={isBusy} onPress={() => void write("tree")}>
          Write a folder
        </Button>
        <Button size="small" icon="packet" isBusy={isBusy} onPress={() => void write("zip")}>
          Write a ZIP
        </Button>
        <Button size="small" icon="down" isBusy={isLoading} onPress={() => void download()}>
          Download
        </Button>
      </span>
      <ProblemNote problem={problem} />
      {done !== undefined && (
        <div className="note ok dx-exported" role="status">
          <Glyph state="ok" />
          <div className="grow">
            {plural(done.files, "file")}, {brief(done.bytes)} bytes:{" "}
            <span className="mono">{done.path}</span>
            <div className="micro muted mono">manifest {done.sha256.slice(0, 24)}</div>
          </div>
        </div>
      )}
    </>
  );
}
