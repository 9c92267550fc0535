import { useProjects } from "../shell/current-project.ts";
import { markedText } from "./visible-text.ts";

/** Which project something belongs to; the one the pages are about unless said otherwise. */
export function ProjectField({
  label = "Project",
  name = "project",
  initial,
  isNeeded = false,
}: {
  readonly label?: string;
  readonly name?: string;
  readonly initial?: string | undefined;
  readonly isNeeded?: boolean;
}) {
  const { projects, current } = useProjects();
  return (
    <label className="field">
      <span className="lbl">{label}</span>
      <select
        // The choices come later than the field.
        key={projects.length}
        className="inp"
        name={name}
        required={isNeeded}
        defaultValue={initial ?? current?.id ?? projects[0]?.id ?? ""}
      >
        {!isNeeded && <option value="">None</option>}
        {projects.map(({ id, name: title }) => (
          <option key={id} value={id}>
            {markedText(title)}
          </option>
        ))}
      </select>
    </label>
  );
}
