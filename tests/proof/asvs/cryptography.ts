import type { Chapter } from "./requirement.ts";

const INVENTORY = "tests/proof/cryptography.test.ts";
const USES = "every use of cryptography in the source is on the list, with its algorithm";
const KEYS = ["docs/safeguards.md", "Keys and hashes"] as const;
const ENCRYPTS_NOTHING =
  "it encrypts nothing itself: what travels is encrypted by TLS, which Node brings";
const PASSWORD = "src/kernel/operation/password.test.ts";

export const CRYPTOGRAPHY_CHAPTER: Chapter = {
  number: "V11",
  title: "Cryptography",
  requirements: [
    {
      number: "V11.1.1",
      level: 2,
      asks: "it is written down how keys are made, kept, changed and given up",
      met: [KEYS],
    },
    {
      number: "V11.1.2",
      level: 2,
      asks: "there is a list of keys, algorithms and certificates, kept up to date",
      met: [KEYS, [INVENTORY, USES]],
    },
    {
      number: "V11.2.1",
      level: 2,
      asks: "cryptography is not of our own making",
      met: [[INVENTORY, USES]],
    },
    {
      number: "V11.2.2",
      level: 2,
      asks: "algorithms and keys can be exchanged",
      missing:
        "passwords say how they were hashed and secrets can be replaced, but hashes of rows and of the log do not name their algorithm; another one would take a migration",
    },
    {
      number: "V11.2.3",
      level: 2,
      asks: "everything has 128 bits of security and more",
      met: [
        [INVENTORY, USES],
        [INVENTORY, "secrets that let in are 256 bits of the system's chance"],
      ],
    },
    {
      number: "V11.3.1",
      level: 1,
      asks: "no weak block modes or paddings",
      notApplicable: ENCRYPTS_NOTHING,
    },
    { number: "V11.3.2", level: 1, asks: "only approved ciphers", notApplicable: ENCRYPTS_NOTHING },
    {
      number: "V11.3.3",
      level: 2,
      asks: "what is encrypted cannot be changed unseen",
      notApplicable: ENCRYPTS_NOTHING,
    },
    {
      number: "V11.4.1",
      level: 1,
      asks: "only approved hash functions protect anything",
      met: [[INVENTORY, USES]],
      note: "SHA-1 names commits for git, which knows them by nothing else; nothing is protected by it",
    },
    {
      number: "V11.4.2",
      level: 2,
      asks: "passwords are kept by a costly function made for it",
      met: [
        [PASSWORD, "is salted: the same one twice is two hashes, and both know it"],
        [PASSWORD, "with other costs is known by them, and what is no hash knows nothing"],
        [INVENTORY, USES],
      ],
    },
    {
      number: "V11.4.3",
      level: 2,
      asks: "hashes that vouch for something have 256 bits",
      met: [
        [INVENTORY, USES],
        ["src/kernel/store/doctor-store.test.ts", "every kind of meddling is found and named"],
      ],
    },
    {
      number: "V11.4.4",
      level: 2,
      asks: "keys made of passwords are stretched",
      notApplicable: "no key is made of a password",
    },
    {
      number: "V11.5.1",
      level: 2,
      asks: "what must not be guessed is random and has 128 bits",
      met: [[INVENTORY, "secrets that let in are 256 bits of the system's chance"]],
    },
    {
      number: "V11.6.1",
      level: 2,
      asks: "key pairs and signatures are of approved kinds",
      notApplicable:
        "it makes no key pairs and no signatures by them: certificates are brought by whoever serves it, messages are signed by HMAC",
    },
  ],
};
