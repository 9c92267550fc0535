/** A run in memory, for tests: keeps what plans say, and finishes work when told to. */

import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { type Graph, START } from "./graph.ts";
import {
  type Arrival,
  type Container,
  type Failure,
  itemScope,
  type OpenRun,
  type Outcome,
  placeInForeach,
  type Scope,
  WHOLE_RUN,
} from "./open-run.ts";
import { route } from "./route.ts";
import type { NewVisit, RoutePlan, RunEnd } from "./route-plan.ts";

export interface SimulatedVisit {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  readonly iteration: number;
  readonly sources: readonly string[];
  outcome: Outcome | undefined;
  output: Json;
  isResting: boolean;
  isHeld: boolean;
  isRouted: boolean;
  isDropped: boolean;
}

interface SimulatedItem {
  readonly value: Json;
  state: "pending" | "live" | "completed" | "failed" | "skipped" | "cancelled";
  from: readonly string[];
}

interface SimulatedContainer {
  readonly id: string;
  readonly step: string;
  readonly scope: Scope;
  readonly from: string;
  readonly items: SimulatedItem[];
  isOpen: boolean;
  isHeld: boolean;
  isForced: boolean;
}

export class SimulatedRun {
  readonly visits = new Map<string, SimulatedVisit>();
  readonly containers = new Map<string, SimulatedContainer>();
  readonly plans: RoutePlan[] = [];
  readonly joins: NewVisit[] = [];
  arrivals: Arrival[] = [];
  failures: Failure[] = [];
  end: RunEnd | undefined;
  private readonly graph: Graph;
  private lastId = 0;

  constructor(graph: Graph) {
    this.graph = graph;
    this.addVisit({ id: "start", step: START, scope: WHOLE_RUN, iteration: 1, sources: [] });
    this.finish("start", "completed", {});
  }

  /** Work that somebody could finish now. */
  get open(): readonly SimulatedVisit[] {
    return [...this.visits.values()].filter(
      ({ outcome, isDropped }) => outcome === undefined && !isDropped,
    );
  }

  get isWaitingVisibly(): boolean {
    const resting = [...this.visits.values()].some(
      (visit) => !visit.isRouted && !visit.isDropped && (visit.isResting || visit.isHeld),
    );
    return resting || [...this.containers.values()].some(({ isOpen, isHeld }) => isOpen && isHeld);
  }

  finish(id: string, outcome: Outcome, output: Json): void {
    const visit = this.visits.get(id);
    assert(visit && visit.outcome === undefined && !visit.isDropped, `${id} cannot finish`);
    visit.outcome = outcome;
    visit.output = output;
    visit.isResting = false;
  }

  /** Looks until another look would find nothing. */
  look(): void {
    for (let rounds = 0; ; rounds += 1) {
      assert(rounds < 1000, "looking never ends");
      const plan = route(this.graph, this.openRun(), this.facts(), () => `v${++this.lastId}`);
      this.plans.push(plan);
      this.apply(plan);
      if (!plan.isMore || this.end !== undefined) return;
    }
  }

  private addVisit(visit: Pick<SimulatedVisit, "id" | "step" | "scope" | "iteration" | "sources">) {
    assert(!this.visits.has(visit.id));
    this.visits.set(visit.id, {
      ...visit,
      outcome: undefined,
      output: null,
      isResting: false,
      isHeld: false,
      isRouted: false,
      isDropped: false,
    });
  }

  private openRun(): OpenRun {
    const visits = [...this.visits.values()].filter(
      ({ isRouted, isDropped }) => !isRouted && !isDropped,
    );
    const containers = [...this.containers.values()].filter(({ isOpen }) => isOpen);
    return {
      visits,
      containers: containers.map(toContainer),
      arrivals: this.arrivals,
      marks: [],
      failures: this.failures,
      tasks: this.visits.size + this.containers.size - 1,
      caps: {},
    };
  }

  private facts() {
    return {
      runInput: {},
      outputOf: (id: string) => this.visits.get(id)?.output ?? null,
      namesIn: (scope: Scope): JsonObject => {
        const place = placeInForeach(scope);
        const items = place && this.containers.get(place.containerId)?.items;
        return items ? { item: items[place.index]?.value ?? null, index: place.index } : {};
      },
      visitsOf: (scope: Scope, step: string) =>
        [...this.visits.values()].filter((visit) => visit.scope === scope && visit.step === step)
          .length +
        [...this.containers.values()].filter((each) => each.scope === scope && each.step === step)
          .length,
    };
  }

  private apply(plan: RoutePlan): void {
    assert.equal(this.end, undefined, "nothing is planned after the end");
    for (const container of plan.containers) {
      const output = this.visits.get(container.from)?.output as { list?: readonly Json[] };
      const items = (output.list ?? []).map(
        (value): SimulatedItem => ({ value, state: "pending", from: [] }),
      );
      assert.equal(items.length, container.total);
      this.containers.set(container.id, {
        ...container,
        items,
        isOpen: true,
        isHeld: false,
        isForced: false,
      });
    }
    for (const { containerId, index } of plan.started) {
      const item = this.item(containerId, index);
      assert.equal(item.state, "pending");
      item.state = "live";
    }
    for (const visit of plan.visits) {
      this.addVisit(visit);
      if (visit.kind === "join") this.joins.push(visit);
      if (visit.failed) {
        this.finish(visit.id, "failed", null);
        this.settle(visit.id, visit.failed.isAbsorbed);
      } else if (visit.kind === "join" && this.collects(visit.step)) {
        this.finish(visit.id, "completed", this.aggregate(visit));
      }
    }
    for (const { scope, join } of plan.joined) {
      this.arrivals = this.arrivals.filter((each) => each.scope !== scope || each.join !== join);
    }
    this.arrivals.push(...plan.arrived);
    for (const { containerId, index, state, from } of plan.ended) {
      const item = this.item(containerId, index);
      assert.equal(item.state, "live");
      item.state = state;
      item.from = from;
      const scope = itemScope(containerId, index);
      this.failures = this.failures.filter((failure) => failure.scope !== scope);
    }
    for (const { id, isAbsorbed } of plan.routed) this.settle(id, isAbsorbed);
    for (const { id, state, isAbsorbed } of plan.closed) {
      const container = this.containers.get(id);
      assert(container?.isOpen, "a container closes once");
      close(container);
      if (state === "failed" && !isAbsorbed) this.failures.push({ visitId: id, ...container });
    }
    for (const { id } of plan.holds) {
      const held = this.visits.get(id) ?? this.containers.get(id);
      assert(held && !held.isHeld, "what is held is held once");
      held.isHeld = true;
    }
    for (const id of plan.dropped) {
      const visit = this.visits.get(id);
      const container = this.containers.get(id);
      assert(visit ? !visit.isRouted : container?.isOpen);
      if (visit) visit.isDropped = true;
      if (container) close(container);
    }
    this.end = plan.end;
  }

  private settle(id: string, isAbsorbed: boolean): void {
    const visit = this.visits.get(id);
    assert(visit && !visit.isRouted && !visit.isDropped, "a visit is routed once");
    visit.isRouted = true;
    if (visit.outcome === "failed" && !isAbsorbed) {
      this.failures.push({ visitId: id, step: visit.step, scope: visit.scope });
    }
  }

  private item(containerId: string, index: number): SimulatedItem {
    const item = this.containers.get(containerId)?.items[index];
    assert(item);
    return item;
  }

  private collects(step: string): boolean {
    const join = this.graph.step(step);
    return join.stepType === "join" && join.prompt === undefined;
  }

  private aggregate({ sources }: NewVisit): Json {
    const items = this.containers.get(sources[0] ?? "")?.items ?? [];
    return { list: items.map(({ from }) => from.length), again: false, choice: 0 };
  }
}

function close(container: SimulatedContainer): void {
  container.isOpen = false;
  for (const item of container.items) {
    if (item.state === "pending" || item.state === "live") item.state = "cancelled";
  }
}

function toContainer(container: SimulatedContainer): Container {
  const { id, step, scope, from, items, isHeld, isForced } = container;
  const indexes = (state: SimulatedItem["state"]) =>
    items.flatMap((item, index) => (item.state === state ? [index] : []));
  const pending = indexes("pending");
  return {
    id,
    step,
    scope,
    from,
    total: items.length,
    completed: indexes("completed").length,
    failed: indexes("failed").length,
    skipped: indexes("skipped").length,
    pending: pending.length,
    next: pending
      .slice(0, 300)
      .map((index) => ({ index, value: items[index]?.value ?? null, attempts: 0 })),
    live: indexes("live"),
    isHeld,
    isForced,
    isOverdue: false,
  };
}
