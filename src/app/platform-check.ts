/** Which systems the program is made for: `doctor` says so, and refuses the ones it is not. */

import type { CheckResult, DoctorCheck } from "../methods/workspace/doctor-check.ts";

export function platformCheck(platform: NodeJS.Platform): DoctorCheck {
  return { group: "System", run: async () => [judgePlatform(platform)] };
}

export function judgePlatform(platform: NodeJS.Platform): CheckResult {
  switch (platform) {
    case "linux":
      return { name: "platform", state: "ok", message: "Linux: everything is tested here." };
    case "darwin":
      return {
        name: "platform",
        state: "ok",
        message:
          "macOS: the same locks, process groups and paths as on Linux; the disk is told to keep what it has (fullfsync).",
      };
    case "win32":
      return {
        name: "platform",
        state: "bad",
        message:
          "Windows itself is not supported: commands could not be ended with all they started, nor files change places while they are open.",
        hint: "Use it in WSL 2, with the workspace on the Linux side.",
      };
    default:
      return {
        name: "platform",
        state: "warn",
        message: `Nobody has tried it on ${platform}.`,
        hint: "Linux and macOS are the systems it is made for.",
      };
  }
}
