/**
 * The port to version control. Both systems behind it keep immutable commits; a *change* is what stays the same when
 * a commit is rewritten, and has an id of its own. Every adapter passes `vcs.suite.ts`.
 *
 * Messages, paths and names are data: whatever they begin with or hold, they are stored as they are.
 */

export interface Vcs {
  readonly kind: VcsKind;
  /** The folder of the working copy; paths are relative to it and written with `/`. */
  readonly root: string;
  readonly history: History;
  readonly workingCopy: WorkingCopy;
  readonly synthesis: Synthesis;
  readonly remotes: Remotes;
  /** Who commits here unless somebody else is named. */
  findIdentity(): Promise<Author | undefined>;
  /** One writer at a time per repository, in whatever process; a dead one holds nothing. */
  lock<Result>(work: () => Promise<Result>): Promise<Result>;
}

export type VcsKind = "jj" | "git";

export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly changeId: string;
  readonly commitId: string;
  /** Commit ids. */
  readonly parents: readonly string[];
  /** Ends with a line break. */
  readonly message: string;
  readonly author: Author;
  /** When it was written down, in epoch milliseconds. */
  readonly at: number;
  readonly isConflicted: boolean;
}

export interface ChangedPath {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted";
}

/** A file that a commit added or changed. */
export interface TouchedFile {
  readonly path: string;
  readonly now: Uint8Array;
  /** Undefined where it was not there. */
  readonly before: Uint8Array | undefined;
}

export interface TrackedFile {
  readonly path: string;
  readonly kind: "file" | "symlink" | "submodule";
}

export interface History {
  /** By change id, commit id or a unique beginning of either; what is not there is left out. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, Commit>>;
  /** A branch or bookmark by its exact name, here or as last seen at a remote. */
  findBookmark(name: string, remote?: string): Promise<Commit | undefined>;
  /** Oldest first; parents come before their children. */
  list(range: CommitRange): Promise<readonly Commit[]>;
  /** A commit is its own ancestor. */
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  listChanges(from: string, to: string): Promise<readonly ChangedPath[]>;
  /** Every path that any of these commits changed; a merge is compared with its first parent. */
  listTouched(commitIds: readonly string[]): Promise<readonly string[]>;
  /** What each of these commits wrote into files, beside what was there before it. */
  readTouched(commitIds: readonly string[]): Promise<readonly TouchedFile[]>;
  /** What these files hold there; those that are not there are left out. */
  read(commitId: string, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  listFiles(commitId: string, folders: readonly string[]): Promise<readonly TrackedFile[]>;
}

export interface CommitRange {
  /** Neither this commit nor its ancestors. Without `upTo`: only what descends from it. */
  readonly after?: string;
  /** A commit with its ancestors; without it every local line of work except what `session/…` keeps. */
  readonly upTo?: string;
  /** How the first line begins. */
  readonly title?: string;
}

export interface WorkingCopy {
  /** Where the history stands: enough to see later whether it moved, and to go back. */
  operation(): Promise<string>;
  look(): Promise<WorkingCopyState>;
  /** Records what changed, or of it only these paths; throws `vcs_nothing_changed`. */
  commit(request: CommitRequest): Promise<Commit>;
  /** Writes files into the working copy, unrecorded; a link on the way is refused. */
  write(files: readonly NewFile[]): Promise<void>;
  /** Leaves the working copy clean on top of this commit; work that stands on it already stays. */
  beginFresh(commitId: string, hand: Hand): Promise<void>;
}

export interface WorkingCopyState {
  /** What the working copy is compared with. */
  readonly parent: Commit;
  readonly changes: readonly ChangedPath[];
  /** Paths that hold an unresolved conflict. */
  readonly conflicts: readonly string[];
  /** Nothing is written down or half done on top of `parent`. */
  readonly isFresh: boolean;
}

/** Whose hand it is, when, and a name by which what it did can be found and undone. */
export interface Hand {
  readonly author: Author;
  readonly at: number;
  readonly tag: string;
}

export interface CommitRequest {
  readonly message: string;
  readonly paths?: readonly string[];
  readonly hand: Hand;
}

export interface Synthesis {
  /**
   * Brings commits of a line of work, parallel ones too, together into one. All of it or nothing: conflicts throw
   * `vcs_conflict` and leave everything as it was. What others put between or on top of them stands on the new
   * commit afterwards.
   */
  perform(plan: SynthesisPlan): Promise<Synthesised>;
  /** Takes back what a process left half-done that died while performing; does nothing where there is nothing. */
  undo(left: LeftSynthesis): Promise<void>;
  /** Finishes what only the working copy lacks, where a process died after the history had changed places. */
  settle(left: LeftSynthesis, commitId: string): Promise<void>;
}

export interface LeftSynthesis {
  /** `workingCopy.operation()` from before. */
  readonly operation: string;
  readonly hand: Hand;
  /** Folders whose uncommitted changes are the synthesis's own. */
  readonly ownFolders: readonly string[];
}

export interface SynthesisPlan extends LeftSynthesis {
  /** The commit it stands on. */
  readonly onto: string;
  /** What is brought together, oldest first. One is rewritten in place; more are duplicated and squashed. */
  readonly originals: readonly Commit[];
  /** The bookmark that goes to the new commit, last of all: once it is there, everything is. */
  readonly bookmark: string;
  /** Where there are several: the bookmark that keeps originals and duplicates reachable. */
  readonly keep: string;
  /** Asked once, when the ids are known and nothing has changed places yet. */
  compose(known: ComposedFor): Promise<Composed>;
}

export interface ComposedFor {
  /** Of the commit that is being made. */
  readonly changeId: string;
  /** In the order of `originals`; none where there is one or none. */
  readonly duplicates: readonly string[];
}

export interface Composed {
  readonly message: string;
  /** Written beside what the originals brought. */
  readonly files: readonly NewFile[];
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

export interface Synthesised {
  readonly commit: Commit;
  readonly duplicates: readonly string[];
  /** What the keeping bookmark points to, where there is one. */
  readonly keptCommitId: string | undefined;
}

export interface Remotes {
  /** The named one; without a name `origin`, or the only one there is. */
  find(name?: string): Promise<string | undefined>;
  /** Where these branches stand at the remote now. Throws `remote_unreachable`. */
  heads(remote: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Brings a branch here as the remote's; what is local stays. */
  fetch(remote: string, name: string): Promise<void>;
  /** Brings the commits of branches here without any name pointing to them. */
  bring(remote: string, names: readonly string[]): Promise<void>;
  /** Throws `push_rejected` or `remote_unreachable`. */
  push(remote: string, targets: readonly PushTarget[], hand: Hand): Promise<void>;
}

export interface PushTarget {
  readonly name: string;
  readonly commitId: string;
}

/** Ordinary branches under which originals and duplicates of squashed commits stay alive. */
export const KEPT_PREFIX = "session/";
