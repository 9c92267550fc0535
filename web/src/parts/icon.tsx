/** Line icons, 16 × 16. Each stands beside words or in a control that has a name. */

const PATHS = {
  home: "M2.5 7.2 8 2.8l5.5 4.4V13a.7.7 0 0 1-.7.7H3.2a.7.7 0 0 1-.7-.7zM6.3 13.5V9.6h3.4v3.9",
  inbox:
    "M2.5 9.2 4.2 3.4a.8.8 0 0 1 .8-.6h6a.8.8 0 0 1 .8.6l1.7 5.8v3a.8.8 0 0 1-.8.8H3.3a.8.8 0 0 1-.8-.8zM2.5 9.2h3.3l.8 1.6h2.8l.8-1.6h3.3",
  runs: "M2.5 4h3l2 8h2l1.5-5h2.5",
  conversation:
    "M2.8 3.2h10.4a.6.6 0 0 1 .6.6v6.4a.6.6 0 0 1-.6.6H7l-3 2.4v-2.4H2.8a.6.6 0 0 1-.6-.6V3.8a.6.6 0 0 1 .6-.6z",
  highlight: "M3.5 13.2h9M5 9.6l5.6-6.2 2 1.8L7 11.4H5z",
  task: "M3 3h10v10H3zM5.6 8l1.8 1.8 3.2-3.6",
  decision: "M8 2.2 13.8 8 8 13.8 2.2 8zM8 5.6V8.4M8 10.4v.1",
  search: "M7 2.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zM10.3 10.3l3.2 3.2",
  packet: "M2.6 5 8 2.4 13.4 5v6L8 13.6 2.6 11zM2.6 5 8 7.7 13.4 5M8 7.7v5.9",
  workflow: "M2.5 2.8h4v3h-4zM9.5 10.2h4v3h-4zM4.5 5.8v3.4a2.4 2.4 0 0 0 2.4 2.4h2.6",
  dialectic: "M2.5 4.5h6.2v4.6H5.6L3.8 10.7V9.1H2.5zM10.6 6.5h2.9V11h-1.2v1.6L10.5 11H8",
  team: "M5.5 7.2a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2.3 12.8c0-2 1.4-3.4 3.2-3.4s3.2 1.4 3.2 3.4M10.6 7a1.7 1.7 0 1 0 0-3.4M11 9.5c1.6.1 2.7 1.4 2.7 3.3",
  prompt: "M2.6 3h10.8v10H2.6zM5 6l2 1.8L5 9.6M8.4 10h2.8",
  session:
    "M8 2.5a2 2 0 0 1 0 4 2 2 0 0 1 0-4zM8 9.5a2 2 0 0 1 0 4 2 2 0 0 1 0-4zM8 6.5v3M8 .8v1.7M8 13.5v1.7",
  report: "M4 2.4h5.4L12 5v8.6H4zM6 7h4M6 9.4h4M6 11.6h2.4",
  settings:
    "M8 5.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM8 2v1.8M8 12.2V14M2 8h1.8M12.2 8H14M3.8 3.8 5 5M11 11l1.2 1.2M12.2 3.8 11 5M5 11l-1.2 1.2",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  play: "M5 3.6l7 4.4-7 4.4z",
  pause: "M5.6 4v8M10.4 4v8",
  check: "M3.5 8.4l3 3 6-6.6",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  down: "M5 6.5 8 9.5l3-3",
  right: "M6.5 4.5 10 8l-3.5 3.5",
  back: "M9.5 4 5.5 8l4 4",
  dots: "M3.6 8h.1M8 8h.1M12.4 8h.1",
  retry: "M12.8 8A4.8 4.8 0 1 1 11 4.2M11.4 1.8v2.6H8.8",
  pin: "M8 9.6V14M5 9.6h6L10 7V3H6v4zM5 3h6",
  ban: "M8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8zM4.4 4.4l7.2 7.2",
  open: "M9 3h4v4M13 3 7.6 8.4M11 9.4V13H3V5h3.6",
  copy: "M5.6 5.6h7.2v7.2H5.6zM3.2 10.4V3.2h7.2",
  link: "M6.6 9.4l2.8-2.8M7.4 5l1.3-1.3a2.6 2.6 0 0 1 3.6 3.6L11 8.6M8.6 11l-1.3 1.3a2.6 2.6 0 0 1-3.6-3.6L5 7.4",
  clock: "M8 2.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6zM8 5v3.2l2 1.4",
  person:
    "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3.2 13.4c.3-2.4 2.2-3.8 4.8-3.8s4.5 1.4 4.8 3.8",
  arrow: "M2.6 8h9M8.2 4.4 11.8 8l-3.6 3.6",
  file: "M4 2.4h5.4L12 5v8.6H4zM9 2.6V5.4h3",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  sun: "M8 5.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1",
  moon: "M13 9.4A5.4 5.4 0 0 1 6.6 3a5.4 5.4 0 1 0 6.4 6.4z",
  screen: "M2.4 3.2h11.2v7.4H2.4zM6 13.2h4M8 10.6v2.6",
  bell: "M4.4 7a3.6 3.6 0 0 1 7.2 0c0 3 1.2 3.8 1.2 3.8H3.2S4.4 10 4.4 7zM6.8 13.2a1.4 1.4 0 0 0 2.4 0",
  leave: "M9.6 3H3.4v10h6.2M7 8h6.4M11 5.4 13.6 8 11 10.6",
  edit: "M3 13l.6-2.8 7-7 2.2 2.2-7 7z",
  filter: "M2.6 4h10.8M4.6 8h6.8M6.6 12h2.8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({
  name,
  small = false,
}: {
  readonly name: IconName;
  readonly small?: boolean;
}) {
  const kinds = ["i", small ? "s" : "", name === "dots" ? "dots" : ""].filter(Boolean).join(" ");
  return (
    <svg className={kinds} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <path
        d="M1 12.5c3.2 0 4.2-1.6 5.6-4.4C8 5.4 9 3.8 11 3.8c2.1 0 3.4 1.7 3.4 3.7 0 2.2-1.5 3.8-3.6 3.8-2 0-3.3-1.5-3.3-3.3M10.4 14.6c2.4 1.3 5.4.7 8.6-2.1"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
    </svg>
  );
}
