/** Keys by which a run's jobs, waits and timers are planned once and found again. */

export const workKey = (visitId: string, attempt: number) => `work:${visitId}:${attempt}`;
export const askKey = (visitId: string, wait: number) => `ask:${visitId}:${wait}`;
export const collectKey = (visitId: string) => `collect:${visitId}`;
export const callKey = (visitId: string) => `call:${visitId}`;
/** A visit waits for a person any number of times; each wait has its number. */
export const waitKey = (visitId: string, wait: number) => `task:${visitId}:${wait}`;
export const answerKey = (visitId: string, wait: number) => `answer:${visitId}:${wait}`;
export const deadlineKey = (id: string) => `deadline:${id}`;
