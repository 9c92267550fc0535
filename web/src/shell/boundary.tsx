/** Keeps a fault in one part from taking the page along. */

import { Component, type ReactNode } from "react";
import { toProblem, unreachable } from "../api/call-problem.ts";
import { live } from "../data/queries.ts";
import { ProblemNote } from "../parts/problem-note.tsx";

export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidMount() {
    this.stop = live.subscribe({
      onState: (state) => {
        if (state === "live" && this.wasLost && isOfCode(this.state.error)) location.reload();
        this.wasLost ||= state === "lost";
      },
    });
  }

  override componentWillUnmount() {
    this.stop();
  }

  private stop: () => void = () => undefined;
  /** Code that does not come although the server was there all along would not come after a reload either. */
  private wasLost = live.state() === "lost";

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const isOut = isOfCode(error) && live.state() !== "live";
    return (
      <div className="fault">
        <ProblemNote
          problem={isOut ? unreachable(error) : toProblem(error)}
          onRetry={() => this.retry()}
        />
      </div>
    );
  }

  private retry() {
    if (isOfCode(this.state.error)) location.reload();
    else this.setState({ error: undefined });
  }
}

/** Code that could not be loaded: of a build that is no more, or from a server that does not answer. */
function isOfCode(error: unknown): boolean {
  return /dynamically imported module|module script|preload CSS/i.test(String(error));
}
