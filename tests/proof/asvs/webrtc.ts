import type { Chapter } from "./requirement.ts";

const NONE = "it has no WebRTC: no TURN server, no media, no signalling";

export const WEBRTC: Chapter = {
  number: "V17",
  title: "WebRTC",
  requirements: [
    {
      number: "V17.1.1",
      level: 2,
      asks: "TURN reaches no reserved addresses",
      notApplicable: NONE,
    },
    { number: "V17.2.1", level: 2, asks: "keys of DTLS are managed", notApplicable: NONE },
    { number: "V17.2.2", level: 2, asks: "DTLS and SRTP use sound ciphers", notApplicable: NONE },
    { number: "V17.2.3", level: 2, asks: "SRTP is authenticated", notApplicable: NONE },
    { number: "V17.2.4", level: 2, asks: "malformed SRTP stops nothing", notApplicable: NONE },
    { number: "V17.3.1", level: 2, asks: "signalling withstands a flood", notApplicable: NONE },
    {
      number: "V17.3.2",
      level: 2,
      asks: "malformed signalling stops nothing",
      notApplicable: NONE,
    },
  ],
};
