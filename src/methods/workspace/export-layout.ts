/** How an export lies in its folder. */

export const DUMP_FILE = "workspace.jsonl";
/** The same name as in the workspace's own folder. */
export const LIBRARY_FOLDER = "library";
