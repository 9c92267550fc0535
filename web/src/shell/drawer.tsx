/** Opens any reference beside the page: `?open=noun:id` in the address, so that it can be linked and gone back from. */

import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";
import { Button } from "../parts/button.tsx";
import { shortId, words } from "../parts/format.ts";
import { giveFocusBack } from "../parts/give-focus-back.ts";
import { closeReference } from "../parts/reference.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { useQueryField } from "../router/place.ts";
import { Boundary } from "./boundary.tsx";
import { useCommands } from "./commands.ts";

export interface ReferenceProps {
  readonly id: string;
}

const loaders = import.meta.glob<{ default: ComponentType<ReferenceProps> }>("../references/*.tsx");
const views = new Map(
  Object.entries(loaders).map(([file, load]) => {
    const noun = file.slice(file.lastIndexOf("/") + 1, -".tsx".length);
    return [noun, lazy(load)];
  }),
);

export function Drawer() {
  const [open] = useQueryField("open");
  if (open === undefined) return null;
  const colon = open.indexOf(":");
  const [noun, id] = [open.slice(0, colon), open.slice(colon + 1)];
  return <OpenDrawer key={open} noun={noun} id={id} />;
}

function OpenDrawer({ noun, id }: { readonly noun: string; readonly id: string }) {
  const pane = useRef<HTMLElement>(null);
  useCommands("Beside", [
    { label: "Close what is open beside", keys: "Escape", run: closeReference },
  ]);
  useEffect(() => {
    const before = document.activeElement;
    pane.current?.focus();
    return () => {
      giveFocusBack(before);
    };
  }, []);
  const View = views.get(noun);
  return (
    <aside className="drawer" aria-label={`${words(noun)} ${shortId(id)}`} tabIndex={-1} ref={pane}>
      <header>
        <span className="lbl">{words(noun)}</span>
        <span className="ref">{shortId(id)}</span>
        <span className="end">
          <Button kind="quiet" icon="cross" name="Close" onPress={closeReference} />
        </span>
      </header>
      <Scroll label={words(noun)}>
        <Boundary key={id}>
          <Suspense fallback={<SkeletonRows count={4} />}>
            {View === undefined ? <p>There is no view for “{noun}”.</p> : <View id={id} />}
          </Suspense>
        </Boundary>
      </Scroll>
    </aside>
  );
}
