import type { UserConfig } from "vite";

const config: UserConfig = {
  root: import.meta.dirname,
  base: "/",
  clearScreen: false,
  // The type is what the page is made of, not where it runs: nothing of the machine's environment enters the build.
  envPrefix: "NOTHING_",
  build: {
    target: "es2023",
    outDir: "dist",
    emptyOutDir: true,
    // Small files stay files: the policy of the page allows no inline script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
};

export default config;
