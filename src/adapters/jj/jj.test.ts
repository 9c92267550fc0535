import { describeVcs } from "../../kernel/vcs/vcs.suite.ts";

describeVcs("jj");
