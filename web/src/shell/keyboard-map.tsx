/** All keys that do something on this page. */

import { Keys } from "../parts/keys.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useCommandGroups } from "./commands.ts";

export function KeyboardMap({ onClose }: { readonly onClose: () => void }) {
  const groups = useCommandGroups();
  return (
    <Sheet title="Keys" onClose={onClose}>
      {groups.map(({ title, commands }) => (
        <section key={title} className="keymap">
          <h3 className="lbl">{title}</h3>
          {commands
            .filter(({ keys }) => keys !== undefined)
            .map(({ label, keys = "" }) => (
              <div key={label + keys} className="row">
                <span className="grow">{label}</span>
                <Keys keys={keys} />
              </div>
            ))}
        </section>
      ))}
    </Sheet>
  );
}
