/** Keeps a fault in one part from taking the page along. */

import { Component, type ReactNode } from "react";
import { toProblem } from "../api/call-problem.ts";
import { ProblemNote } from "../parts/problem-note.tsx";

export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="fault">
        <ProblemNote problem={toProblem(error)} onRetry={() => this.retry()} />
      </div>
    );
  }

  /** Code of a build that is no more cannot be loaded; the page itself is then old. */
  private retry() {
    const isOldBuild = /dynamically imported module|module script/i.test(String(this.state.error));
    if (isOldBuild) location.reload();
    else this.setState({ error: undefined });
  }
}
