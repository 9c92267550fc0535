import { describeSessions } from "./session.suite.ts";

describeSessions("git");
