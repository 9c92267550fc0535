import { Button } from "./button.tsx";

/** At the foot of a list that has more. */
export function MoreButton({
  list,
}: {
  readonly list: {
    readonly hasMore: boolean;
    readonly isReading: boolean;
    readonly more: () => void;
  };
}) {
  if (!list.hasMore) return null;
  return (
    <div className="more">
      <Button size="small" isBusy={list.isReading} onPress={list.more}>
        Show more
      </Button>
    </div>
  );
}
