import type { ChildKind } from './messages';

const VARIABLE = 'SERVICE_PROCESS_KIND';

/** The environment that names its kind to a process. */
export function kindEnvironment(kind: ChildKind): Readonly<Record<string, string>> {
  return { [VARIABLE]: kind };
}

/** What this process was started for. */
export function childKind(): ChildKind {
  return process.env[VARIABLE] === 'delivery' ? 'delivery' : 'web';
}
