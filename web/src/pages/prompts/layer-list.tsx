import { count, words } from "../../parts/format.ts";
import { Source } from "../../parts/reference.tsx";
import { type Place, pointsAt } from "./pointed.ts";
import { layerKind, type Trace } from "./prompt-lines.ts";

/** Layers in order, with their size; choosing one shows where it begins. */
export function LayerList({
  trace,
  chosen,
  onChoose,
  pointed,
  onPoint,
}: {
  readonly trace: Trace;
  readonly chosen: string | undefined;
  readonly onChoose: (range: number | undefined) => void;
  readonly pointed: Place | undefined;
  readonly onPoint: (place: Place | undefined) => void;
}) {
  const { layers, characters } = trace;
  const most = Math.max(1, ...layers.map((layer) => layer.characters));
  const choose = (layer: string) => {
    const first = trace.sourceMap.findIndex(
      (range) => range.layer === layer && range.kind === "text",
    );
    onChoose(first < 0 ? undefined : first);
  };
  return (
    <>
      <header>
        <h2>Layers</h2>
        <span className="micro muted end">characters</span>
      </header>
      <div className="layers">
        {layers.map(({ layer, characters: size, stability }) => {
          const kind = layerKind(layer, trace);
          const tone = kind === "fixed" ? "x" : kind.slice(0, 1);
          return (
            <button
              key={layer}
              type="button"
              className={classOf(layer === chosen, layer === pointed?.layer)}
              title={`changes with: ${stability}`}
              onClick={() => choose(layer)}
              {...pointsAt({ layer }, onPoint)}
            >
              <Source kind={kind} />
              <span className="cut">{words(layer)}</span>
              <span className={`bar k-${tone}`}>
                <i style={{ "--w": `${(100 * size) / most}%` } as object} />
              </span>
              <span className="num">{count(size)}</span>
              <span className="num faint">
                {Math.round((100 * size) / Math.max(1, characters))}%
              </span>
            </button>
          );
        })}
      </div>
    </>
  );
}

function classOf(isChosen: boolean, isPointed: boolean): string {
  return [isChosen ? "on" : "", isPointed ? "lit" : ""].join(" ");
}
