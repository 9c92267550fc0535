/** `A & B -->|label| C --> D`. A chain that breaks off keeps what was read of it. */

import type { Fault } from "../../../kernel/base/text-position.ts";
import type { Chain, Link, Mention } from "./diagram.ts";
import { readLink } from "./read-link.ts";
import { readMention } from "./read-mention.ts";
import { BLANKS, fault, isFault, matchAt, skip } from "./scan.ts";

export interface ReadChain {
  readonly chain: Chain;
  readonly end: number;
  readonly fault: Fault | undefined;
}

export function readChain(text: string, start: number): ReadChain {
  const groups: Mention[][] = [];
  const links: Link[] = [];
  let at = start;
  for (;;) {
    const group = readGroup(text, at);
    groups.push(group.mentions);
    if (group.fault !== undefined) return brokenOff(groups, links, group.end, group.fault);
    const link = readLink(text, group.end);
    if (link === undefined) return { chain: { groups, links }, end: group.end, fault: undefined };
    if (isFault(link)) return brokenOff(groups, links, group.end, link);
    links.push(link.value);
    at = link.end;
  }
}

interface ReadGroup {
  readonly mentions: Mention[];
  readonly end: number;
  readonly fault: Fault | undefined;
}

const AMPERSAND = /[^\S\r\n]+&[^\S\r\n]+/y;
const CLOSE_AMPERSAND = /[^\S\r\n]*&/y;

function readGroup(text: string, start: number): ReadGroup {
  const mentions: Mention[] = [];
  let at = start;
  for (;;) {
    const mention = readMention(text, at);
    if (isFault(mention)) return { mentions, end: at, fault: mention };
    mentions.push(mention.value);
    const { end } = mention;
    const sign = matchAt(AMPERSAND, text, end);
    if (sign !== undefined) {
      at = end + sign.length;
      continue;
    }
    if (matchAt(CLOSE_AMPERSAND, text, end) === undefined)
      return { mentions, end, fault: undefined };
    const offset = skip(BLANKS, text, end);
    return { mentions, end, fault: fault(offset, "& needs a blank on both sides") };
  }
}

/** A group of which nothing could be read, and the link to it, are left out. */
function brokenOff(groups: Mention[][], links: Link[], end: number, reason: Fault): ReadChain {
  const whole = groups.filter((group) => group.length > 0);
  return {
    chain: { groups: whole, links: links.slice(0, Math.max(0, whole.length - 1)) },
    end,
    fault: reason,
  };
}
