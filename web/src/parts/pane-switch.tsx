import { useQueryField } from "../router/place.ts";
import { Segmented } from "./tabs.tsx";

/** Panes that stand side by side where there is room, and take turns where there is not. */
export function usePanes<Name extends string>(
  panes: readonly { readonly name: Name; readonly label: string }[],
  first: Name,
): { readonly shown: Name; readonly panes: typeof panes; readonly show: (name: Name) => void } {
  const [asked, setAsked] = useQueryField("pane");
  const shown = panes.find(({ name }) => name === asked)?.name ?? first;
  return { shown, panes, show: (name) => setAsked(name === first ? undefined : name) };
}

/** Seen only where the panes take turns. */
export function PaneSwitch<Name extends string>({
  panes: { shown, panes, show },
}: {
  readonly panes: ReturnType<typeof usePanes<Name>>;
}) {
  return (
    <div className="pane-switch">
      <Segmented label="What is shown" choices={panes} chosen={shown} onChoose={show} />
    </div>
  );
}
