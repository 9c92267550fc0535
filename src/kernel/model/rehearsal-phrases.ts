/**
 * The rehearsal model's vocabulary. `{a}` and `{b}` are things the prompt named, `{aspect}` is a side
 * of them. Sentences of one theme differ in wording as well as in subject, so that lists do not repeat.
 */

export type Theme = keyof typeof PHRASES;

export const PHRASES = {
  summary: [
    "The work on {a} is done as asked, with attention to {aspect}; {b} follows from it.",
    "{A} now rests on {aspect}, and what remains open around {b} is named.",
    "In short: {a} holds together, {b} needs one more look at {aspect}.",
    "This covers {a}, takes {aspect} into account and leaves {b} as it was.",
  ],
  reason: [
    "Because {a} depends on {aspect}, and nothing else in the material settles it.",
    "The material on {a} names {aspect} itself, and {b} does not speak against it.",
    "It keeps {b} possible while {aspect} is still open.",
    "Waiting would cost more than {aspect} is worth for {a}.",
  ],
  title: [
    "Settle {aspect} for {a}",
    "Review {a} with a view to {aspect}",
    "Prepare {a}, starting from {aspect}",
    "Check {aspect} before {b}",
    "Bring {a} and {b} together through {aspect}",
  ],
  name: [
    "{A}: {aspect}",
    "A view of {aspect} in {a}",
    "{A} and {b} in the light of {aspect}",
    "The {aspect} of {a}",
  ],
  person: ["Ana", "Ben", "Chen", "Dilek", "Emeka", "Freya"],
  risk: [
    "If {aspect} slips, {a} would have to be cut down late.",
    "Nobody has yet tested {a} against {aspect}.",
    "{B} may need the same people for {aspect} at the same time as {a}.",
    "An early choice about {aspect} could be hard to take back once {b} builds on it.",
  ],
  mitigation: [
    "Try {a} on a small part first and compare {aspect}.",
    "Name one person who watches {aspect} until {b} is settled.",
    "Keep the present way of {b} until {a} has shown itself in {aspect}.",
    "Agree beforehand what result for {aspect} would make us stop.",
  ],
  question: [
    "Which matters more for {a}: {aspect} or being early?",
    "Who decides about {aspect} when {a} and {b} disagree?",
    "What would show us that {a} is good enough in {aspect}?",
    "May {b} change if {aspect} turns out differently?",
  ],
  action: [
    "Write down what {a} needs in terms of {aspect}.",
    "Ask the people behind {b} about {aspect} this week.",
    "Finish the smallest useful part of {a} and show its {aspect}.",
    "Compare two ways of handling {aspect} and pick one.",
    "Close what {aspect} leaves open in {b}.",
  ],
  description: [
    "{A} is looked at from the side of {aspect}. What is known is stated first, then what follows for {b}.",
    "This part explains how {a} works today, what {aspect} asks of it, and where {b} comes in.",
    "It sets out {a} step by step, with {aspect} as the measure, and says what is left to {b}.",
    "Here {a} and {b} are brought into one order, so that {aspect} can be judged at a glance.",
  ],
  objective: [
    "Make {a} dependable in {aspect}.",
    "Reach a point where {b} can start without waiting for the {aspect} of {a}.",
    "Halve the effort that {aspect} costs in {a}.",
    "Give everyone the same picture of {aspect} in {a} and {b}.",
  ],
  constraint: [
    "{A} must stay usable while {aspect} changes.",
    "No more than two people can work on {aspect} for {b} at once.",
    "What was decided about {aspect} stands unless new evidence appears.",
    "Every change to {a} that touches {aspect} has to be traceable to its cause.",
  ],
  assumption: [
    "The present numbers for {aspect} hold for another quarter.",
    "Those who use {a} care about {aspect} as much as about {b}.",
    "{B} keeps its {aspect} until {a} is finished.",
    "There is time for one round of corrections to {aspect} in {a}.",
  ],
  decision: [
    "Go on with {a} and leave {aspect} of {b} for the next round.",
    "Treat {aspect} as the deciding measure for {a}.",
    "Take the simpler of the two ways to do {a}, judged by {aspect}.",
    "Do {b} first, since {a} takes its {aspect} from there.",
  ],
  option: [
    "Build on {a} as it is and improve {aspect} later.",
    "Start {b} afresh with {aspect} in mind.",
    "Do both in a small form and compare them by {aspect}.",
    "Put {a} off until {aspect} is settled for {b}.",
  ],
  tradeoff: [
    "Gains {aspect}, at the price of a later {b}.",
    "Quick to begin, but {a} keeps its weak side in {aspect}.",
    "Better {aspect} for those who use {a}, more work for those who keep {b}.",
    "Safe for {aspect}, slow for {a}.",
  ],
  impact: [
    "Those who rely on {a} notice it in {aspect} first.",
    "{B} becomes easier; {a} needs a short pause for {aspect}.",
    "Small for {b}, large wherever {aspect} decides.",
    "It shortens the way from {a} to {b} as far as {aspect} goes.",
  ],
  evidence: [
    "The notes on {a} mention {aspect} twice.",
    "{B} was settled by {aspect} before.",
    "What people reported about {a} points to {aspect}.",
    "The last change to {b} had exactly this effect on {aspect}.",
  ],
  feedback: [
    "What is said about {a} is clear; {aspect} deserves a sentence more.",
    "I agree with the direction, and for the sake of {aspect} would move {b} before {a}.",
    "Good use of {aspect}. What happens to {b} in that case?",
    "This answers the question about {a}, though {aspect} is only touched.",
    "Consider saying outright that {b} waits for {a} because of {aspect}.",
  ],
  change: [
    "Made {aspect} explicit and shortened what is said on {b}.",
    "Added what was missing about {aspect} in {a}.",
    "Brought {a} in line with what was decided on {aspect}.",
    "Split {b} from {a} so that the {aspect} of each can be judged alone.",
  ],
  reflection: [
    "{A} has moved on; the weak spot is still {aspect}, and {b} waits for it.",
    "I answered what was asked about {b} and want to go deeper into {aspect}.",
    "What I hold of {a} is sound; I would gladly see it read by someone who knows {aspect}.",
    "The last round helped: {b} is clearer in {aspect}, and {a} now has an order.",
  ],
  directive: [
    "Work out {a} with care for {aspect}, and say where it touches {b}.",
    "Bring {a} to a state in which others can judge {aspect}.",
    "Answer the open remark on {aspect} in {b}, then extend {a}.",
    "Keep {a} short; put what concerns {aspect} first.",
  ],
  motivation: [
    "{A} is what the others build on, so your eye for {aspect} counts here.",
    "You know the {aspect} of {b} better than anyone; that is what {a} lacks now.",
    "A clear word on {aspect} in {a} saves everyone a round.",
    "This is the part where {aspect} is won or lost.",
  ],
  persona: [
    "Patient and exact, asks about {aspect} before praising {a}, and says plainly what is missing.",
    "Thinks in examples, connects {a} with {b} and dislikes vague words about {aspect}.",
    "Cares for those who will use {a}, and defends {aspect} when others hurry.",
    "Looks for the simplest {a} that could work and tests it against {aspect}.",
  ],
  insight: [
    "{A} and {b} share the same weak side: {aspect}.",
    "What looks like a matter of {aspect} is really an open choice about {b}.",
    "{A} gets easier once {b} is allowed to be plain in {aspect}.",
    "The open points around {a} all come back to {aspect}.",
  ],
  criterion: [
    "The {aspect} of {a} can be explained in one minute without mentioning {b}.",
    "A newcomer finds {aspect} of {a} without help.",
    "Nothing in {b} contradicts the {aspect} of {a}.",
    "The figure for {aspect} is known and written beside {a}.",
  ],
  quote: [
    "{a} stands and falls with {aspect}",
    "we leave {b} until {aspect} is settled",
    "what matters is {aspect}",
    "{b} first, then {a}, then {aspect}",
  ],
  word: ["planning", "quality", "delivery", "research", "design", "review"],
  path: [
    "src/import/reader.ts",
    "src/import/progress.ts",
    "src/export/writer.ts",
    "docs/overview.md",
    "tests/reader.test.ts",
    "src/session/login.ts",
    "config/defaults.json",
  ],
  branch: ["main", "feature/import", "fix/progress", "release/2.4"],
  level: ["low", "medium", "low", "high"],
  state: ["modified", "added", "ready", "unchanged"],
  address: [
    "https://example.org/import",
    "https://example.org/review/7",
    "https://example.org/notes",
  ],
  version: ["2.4.0", "2.4.1", "3.0.0"],
  sentence: [
    "{A} is considered here with regard to {aspect}.",
    "What is said about {aspect} in {b} holds for {a} as well.",
    "There is one open point in {a}, and it concerns {aspect}.",
    "{B} was weighed against {aspect} and kept.",
    "For {aspect} the order is {a} first, {b} after it.",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const ASPECTS = [
  "timing",
  "cost",
  "clarity",
  "ownership",
  "evidence",
  "scope",
  "reliability",
  "effort",
  "handover",
  "sequence",
] as const;

/** The first that fits a field's name, read as lower-case words, gives its theme. */
export const THEMES: readonly (readonly [RegExp, Theme])[] = [
  [/\b(?:path|file ?name)s?$|^files?$/, "path"],
  [/\bbranch(?:es)?$/, "branch"],
  [/\b(?:severity|priority|urgency|level)$/, "level"],
  [/\b(?:status|state)$/, "state"],
  [/\b(?:url|uri|link|address)s?$/, "address"],
  [/\bversion$/, "version"],
  [/\b(?:change summary|changes?|changelog|delta|diff|modification)\b/, "change"],
  [/\b(?:reflections?|reflection note|retrospective|lesson)s?\b/, "reflection"],
  [/\bsummary|overview|abstract|synopsis|tl ?dr|conclusion|recap|digest\b/, "summary"],
  [/\b(?:reason|reasoning|rationale|why|because|justification|explanation|motive)s?\b/, "reason"],
  [/\b(?:mitigation|countermeasure|fallback|contingency)s?\b/, "mitigation"],
  [/\b(?:risk|threat|danger|concern|issue|problem|weakness|gap|blind spot|tension)s?\b/, "risk"],
  [/\b(?:question|unknown|clarification)s?\b/, "question"],
  [
    /\b(?:next|action|step|todo|task|follow up|milestone|recommendation|suggestion|advice)s?\b/,
    "action",
  ],
  [/\b(?:objective|goal|aim|purpose|mission|intent|outcome|vision)s?\b/, "objective"],
  [/\b(?:constraint|limit|limitation|restriction|rule|requirement|boundary)s?\b/, "constraint"],
  [/\b(?:assumption|premise|hypothesis)s?\b/, "assumption"],
  [/\b(?:decision|ruling|resolution|choice)s?\b/, "decision"],
  [/\b(?:option|alternative|approach|strategy)s?\b/, "option"],
  [/\b(?:trade ?off|advantage|disadvantage|pro|con|benefit|drawback)s?\b/, "tradeoff"],
  [/\b(?:impact|effect|consequence|result|value)s?\b/, "impact"],
  [/\b(?:evidence|proof|support|finding|observation|fact)s?\b/, "evidence"],
  [/\b(?:quote|quotation|excerpt|verbatim)s?\b/, "quote"],
  [
    /\b(?:feedback|comment|review|remark|critique|collab|message|reply|response|note)s?\b/,
    "feedback",
  ],
  [/\b(?:directive|instruction|assignment|order|request|prompt)s?\b/, "directive"],
  [/\b(?:motivation|encouragement)s?\b/, "motivation"],
  [/\b(?:persona|character|characteristic|personality|trait|voice|stance)s?\b/, "persona"],
  [/\b(?:insight|highlight|learning|takeaway|idea|theme)s?\b/, "insight"],
  [
    /\b(?:criterion|criteria|definition of done|done|acceptance|metric|measure|indicator|test|check)s?\b/,
    "criterion",
  ],
  [
    /\b(?:owner|assignee|author|reviewer|person|member|user|who|by|responsible|display name)s?\b/,
    "person",
  ],
  [
    /\b(?:tag|category|kind|type|topic|area|domain|role|skill|keyword|format|language|style|tone)s?\b/,
    "word",
  ],
  [/\b(?:title|headline|heading|subject)s?\b/, "title"],
  [/\b(?:name|label|caption)s?\b/, "name"],
  [
    /\b(?:description|detail|context|background|details|scope|problem statement|answer|explanation)s?\b/,
    "description",
  ],
];

/** Names of fields whose text is a whole document and not a sentence. */
export const DOCUMENT =
  /\b(?:content|body|markdown|document|draft|text|chapter|essay|article|report|output|section|prose)\b/;
