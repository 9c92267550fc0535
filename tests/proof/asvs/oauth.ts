import type { Chapter } from "./requirement.ts";

const NONE =
  "it is no client, resource server or authorisation server of OAuth, and uses no OpenID Connect";

export const OAUTH: Chapter = {
  number: "V10",
  title: "OAuth and OpenID Connect",
  requirements: [
    {
      number: "V10.1.1",
      level: 2,
      asks: "tokens go only where they are needed",
      notApplicable: NONE,
    },
    {
      number: "V10.1.2",
      level: 2,
      asks: "answers belong to a flow that this browser began",
      notApplicable: NONE,
    },
    {
      number: "V10.2.1",
      level: 2,
      asks: "a client's code flow cannot be forged",
      notApplicable: NONE,
    },
    { number: "V10.2.2", level: 2, asks: "a client mixes up no servers", notApplicable: NONE },
    {
      number: "V10.3.1",
      level: 2,
      asks: "a resource server takes tokens meant for it",
      notApplicable: NONE,
    },
    {
      number: "V10.3.2",
      level: 2,
      asks: "what a token was given for is what it allows",
      notApplicable: NONE,
    },
    {
      number: "V10.3.3",
      level: 2,
      asks: "who is meant is told by what is never given to another",
      notApplicable: NONE,
    },
    {
      number: "V10.3.4",
      level: 2,
      asks: "how somebody signed in is told by the token where it matters",
      notApplicable: NONE,
    },
    {
      number: "V10.4.1",
      level: 1,
      asks: "addresses to return to are a fixed list",
      notApplicable: NONE,
    },
    { number: "V10.4.2", level: 1, asks: "an authorisation code works once", notApplicable: NONE },
    {
      number: "V10.4.3",
      level: 1,
      asks: "an authorisation code is soon over",
      notApplicable: NONE,
    },
    {
      number: "V10.4.4",
      level: 1,
      asks: "a client gets only the grants it needs",
      notApplicable: NONE,
    },
    { number: "V10.4.5", level: 1, asks: "refresh tokens cannot be replayed", notApplicable: NONE },
    { number: "V10.4.6", level: 2, asks: "the code flow asks for PKCE", notApplicable: NONE },
    {
      number: "V10.4.7",
      level: 2,
      asks: "clients that register themselves are not trusted",
      notApplicable: NONE,
    },
    { number: "V10.4.8", level: 2, asks: "refresh tokens end some day", notApplicable: NONE },
    { number: "V10.4.9", level: 2, asks: "people can revoke tokens", notApplicable: NONE },
    {
      number: "V10.4.10",
      level: 2,
      asks: "confidential clients prove who they are",
      notApplicable: NONE,
    },
    {
      number: "V10.4.11",
      level: 2,
      asks: "clients get only the scopes they need",
      notApplicable: NONE,
    },
    {
      number: "V10.5.1",
      level: 2,
      asks: "an ID token cannot be replayed to a client",
      notApplicable: NONE,
    },
    {
      number: "V10.5.2",
      level: 2,
      asks: "a client knows people by what is never given to another",
      notApplicable: NONE,
    },
    {
      number: "V10.5.3",
      level: 2,
      asks: "a provider's description names the provider we know",
      notApplicable: NONE,
    },
    {
      number: "V10.5.4",
      level: 2,
      asks: "an ID token is meant for this client",
      notApplicable: NONE,
    },
    {
      number: "V10.5.5",
      level: 2,
      asks: "signing out from behind cannot be forged",
      notApplicable: NONE,
    },
    {
      number: "V10.6.1",
      level: 2,
      asks: "a provider allows only safe response modes",
      notApplicable: NONE,
    },
    {
      number: "V10.6.2",
      level: 2,
      asks: "a provider lets nobody be signed out by force",
      notApplicable: NONE,
    },
    {
      number: "V10.7.1",
      level: 2,
      asks: "people agree to every authorisation",
      notApplicable: NONE,
    },
    { number: "V10.7.2", level: 2, asks: "they are told what they agree to", notApplicable: NONE },
    { number: "V10.7.3", level: 2, asks: "they can take it back", notApplicable: NONE },
  ],
};
