/** What the sample says. It is true of the sample: a small project with a decision to keep and a blocker to solve. */

export const SAMPLE_PROJECT = {
  name: "Tidepool (sample)",
  description:
    "Notes that sync between devices without a server in charge. This project is a sample: look around, change what you like, and remove it with `workspace clear-sample`.",
  glossary: [
    { term: "lease", meaning: "The right to write a note for a while; it ends by itself." },
    { term: "stray", meaning: "A write that came too late for its lease, kept beside the note." },
  ],
} as const;

export const SAMPLE_CONVERSATION = {
  title: "Lease expiry under clock skew",
  messages: [
    {
      role: "user",
      content:
        "Two devices edit the same note offline. Both think they hold the lock when they come back. How do we keep one from silently losing work?",
    },
    {
      role: "assistant",
      content:
        "A lock outlives its owner: if a device dies, nobody can write. A lease ends by itself, so the note becomes free again without anybody cleaning up. Give every write the number of its lease, and let the store refuse a write with an older number.",
    },
    {
      role: "user",
      content:
        "And what happens to the refused write? It must not vanish. Clocks on phones are off by seconds, too.",
    },
    {
      role: "assistant",
      content:
        "Keep it beside the note as a stray and offer it to its author. For the clocks: never compare wall clocks of two devices. The store hands out lease numbers in order, and only the order counts.",
    },
  ],
} as const;

export const SAMPLE_HIGHLIGHTS = [
  {
    message: 1,
    label: "leases",
    content: "A lease ends by itself, so the note becomes free again without anybody cleaning up.",
  },
  {
    message: 3,
    label: "clocks",
    content: "never compare wall clocks of two devices",
  },
] as const;

export const SAMPLE_DECISIONS = [
  {
    title: "Leases, not locks",
    content: "A lock outlives its owner; a lease ends by itself. Writers carry the lease's number.",
  },
  {
    title: "Refused writes are kept as strays",
    content: "Nothing a person wrote is thrown away; a stray is offered to its author.",
  },
] as const;

export const SAMPLE_TASKS = [
  {
    title: "Two workers see an expired lease at once",
    description:
      "[blocker] The lease is read before the lock is taken, so both may think it is free. The read belongs inside the transaction.",
    urgency: "urgent",
    status: "pending",
    tags: ["sync"],
    isDrawn: true,
  },
  {
    title: "Property test with two workers and a stepped clock",
    description: "Freeze the order of lease numbers, not the wall clock; skew must not matter.",
    urgency: "high",
    status: "pending",
    tags: ["sync", "test"],
    isDrawn: false,
  },
  {
    title: "Show strays in the note's own history",
    description: "[open loop] What does the reader see while a stray waits?",
    urgency: "normal",
    status: "pending",
    tags: ["ui"],
    isDrawn: false,
  },
  {
    title: "Replace the sync lock with a lease",
    description: "The first half is in: leases have numbers. Writers do not send them yet.",
    urgency: "high",
    status: "in_progress",
    tags: ["sync"],
    isDrawn: false,
  },
] as const;

export const SAMPLE_AGENT = {
  displayName: "Planner (sample)",
  agentPrompt:
    "You plan work for a small team. You name one next step, why it comes first, and what would prove it done.",
} as const;
