/** The versions and ciphers of TLS that the server speaks: each keeps what was said secret when a key is lost later. */

const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
];

export const TLS_SETTINGS = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  /** The strongest first, and in this order whatever a client prefers. */
  ciphers: CIPHERS.join(":"),
  honorCipherOrder: true,
} as const;
