/**
 * The chronos date: where the Sun stands, read as a calendar. A pure function of an instant.
 *
 * The Sun's apparent longitude after Meeus, chapter 25, with the five largest perturbations: within 0.01° for some
 * centuries around 2000. A second of arc lasts about 24 s, so neighbouring instants may share a date.
 */

export interface ChronosDate {
  /** Counted from 3894 years before our year 0 at the March equinox. */
  readonly year: number;
  /** 1 for Aries … 12 for Pisces. */
  readonly sign: number;
  /** Each counts from 1: 30 degrees, 60 minutes, 60 seconds. */
  readonly degree: number;
  readonly minute: number;
  readonly second: number;
}

/** `at` in epoch milliseconds. */
export function chronosDate(at: number): ChronosDate {
  const longitude = solarLongitude(at);
  const seconds = Math.floor(longitude * 3600);
  const within = seconds % (30 * 3600);
  return {
    year: yearAt(at, longitude),
    sign: Math.floor(seconds / (30 * 3600)) + 1,
    degree: Math.floor(within / 3600) + 1,
    minute: (Math.floor(within / 60) % 60) + 1,
    second: (within % 60) + 1,
  };
}

/** As the line under a session's title: `♓︎.5.4.47 5919AM`. */
export function chronosLine(at: number): string {
  const { year, sign, degree, minute, second } = chronosDate(at);
  return `${GLYPHS.charAt(sign - 1)}${TEXT_VARIANT}.${degree}.${minute}.${second} ${year}AM`;
}

/** As the beginning of a file's name: year, sign, degree, minute, second. */
export function chronosStamp(at: number): string {
  const { year, sign, degree, minute, second } = chronosDate(at);
  return [String(year).padStart(4, "0"), ...[sign, degree, minute, second].map(twoDigits)].join("");
}

export function isChronosLine(line: string): boolean {
  const parts = /^([♈-♓])\uFE0E\.(\d{1,2})\.(\d{1,2})\.(\d{1,2}) \d{4,6}AM$/u.exec(line);
  if (parts === null) return false;
  const [degree, minute, second] = parts.slice(2).map(Number);
  return isWithin(degree, 30) && isWithin(minute, 60) && isWithin(second, 60);
}

const GLYPHS = "♈♉♊♋♌♍♎♏♐♑♒♓";
const TEXT_VARIANT = "\uFE0E";

function isWithin(value: number | undefined, most: number): boolean {
  return value !== undefined && value >= 1 && value <= most;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The year turns where the longitude passes 360°, so that the two can never disagree. */
function yearAt(at: number, longitude: number): number {
  const date = new Date(at);
  const isBeforeEquinox = date.getUTCMonth() < 6 && longitude > 180;
  return date.getUTCFullYear() + (isBeforeEquinox ? 3893 : 3894);
}

const J2000 = Date.UTC(2000, 0, 1, 12);
const CENTURY_MS = 36_525 * 86_400_000;

/** Apparent ecliptic longitude of the Sun in degrees, 0 ≤ longitude < 360. */
export function solarLongitude(at: number): number {
  const t = (at + dynamicalLeadMs(at) - J2000) / CENTURY_MS;
  const mean = 280.46646 + t * (36000.76983 + t * 0.0003032);
  const anomaly = 357.52911 + t * (35999.05029 - t * 0.0001537);
  const centre =
    (1.914602 - t * (0.004817 + t * 0.000014)) * sine(anomaly) +
    (0.019993 - t * 0.000101) * sine(2 * anomaly) +
    0.000289 * sine(3 * anomaly);
  const perturbations =
    0.00134 * cosine(351.52 + 22518.7541 * t) +
    0.00154 * cosine(253.14 + 45036.8864 * t) +
    0.002 * cosine(157.23 + 32964.3577 * t) +
    0.00179 * sine(297.85 + 445267.1142 * t) +
    0.00178 * sine(252.08 + 20.19 * t);
  const aberrationAndNutation = -0.00569 - 0.00478 * sine(125.04 - 1934.136 * t);
  const longitude = (mean + centre + perturbations + aberrationAndNutation) % 360;
  return longitude < 0 ? longitude + 360 : longitude;
}

/**
 * What uniform time is ahead of clocks: 69 s now, by the parabola that fits the last centuries. A minute more or
 * less moves the Sun by 2.5 seconds of arc.
 */
function dynamicalLeadMs(at: number): number {
  const year = 2000 + (at - J2000) / (CENTURY_MS / 100);
  const since = year - 2000;
  return 1000 * (62.92 + 0.32217 * since + 0.005589 * since * since);
}

function sine(degrees: number): number {
  return Math.sin((degrees * Math.PI) / 180);
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}
