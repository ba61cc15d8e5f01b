import { closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { ActionTrail } from '../admin/login/actions';
import type { Config, Reloadable, ReloadResult, SettingsInUse, ReloadFailure } from '../config';
import { OperatorError } from '../support/errors';
import type { ServiceLog } from '../telemetry';
import type { ServiceManager } from './service-manager';

interface ReloadSteps {
  /** Notified when files are reloaded, and when that is done. */
  readonly manager: ServiceManager;
  /** Records the reload. */
  readonly trail?: Pick<ActionTrail, 'note'>;
  /** Applies the settings in use to the whole service; resolves with those that could not be applied. */
  readonly reload: () => Promise<readonly ReloadFailure[]>;
}

/**
 * Names who causes a reload as other actions do: a signal comes from the service manager's command.
 */
const ACTORS = { signal: 'command line', command: 'command line', 'file change': 'service' } as const;
type ReloadCause = keyof typeof ACTORS;

/** A changed file counts when it has stayed the same for this time: many programs write in several steps. */
const SETTLED_AFTER_MS = 1000;

/**
 * Reloads settings and files: on SIGHUP, which Windows does not have, on request, and when files change.
 * Reloads requested before the service has started happen then.
 */
export class Reloader {
  readonly #inUse: SettingsInUse;
  readonly #log: Pick<ServiceLog, 'logger'>;
  #serve: (steps: ReloadSteps) => void = () => undefined;
  readonly #steps = new Promise<ReloadSteps>((resolve) => (this.#serve = resolve));
  #last: Promise<unknown> = this.#steps;
  #next: Promise<ReloadResult> | undefined;
  readonly #watch = new AbortController();

  constructor(inUse: SettingsInUse, log: Pick<ServiceLog, 'logger'>) {
    this.#inUse = inUse;
    this.#log = log;
    if (process.platform === 'win32') return;
    process.on('SIGHUP', () => {
      if (isHungUp()) process.kill(process.pid, 'SIGTERM');
      else void this.request('signal');
    });
  }

  /** Called when the service has started. */
  serve(steps: ReloadSteps): void {
    this.#serve(steps);
  }

  /**
   * Resolves with the result of a reload that begins after this call. Requests during a reload share the next
   * one.
   *
   * @param cause - recorded with its actor
   */
  request(cause: ReloadCause): Promise<ReloadResult> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      return this.#reload(await this.#steps, cause);
    });
    this.#last = this.#next;
    return this.#next;
  }

  /**
   * Reloads when a file changes, replaced ones and targets of symbolic links included, until the watch is
   * ended.
   */
  async watch(): Promise<void> {
    const { signal } = this.#watch;
    let paths = this.#inUse.paths();
    let taken = await readVersions(paths);
    for (let last = taken; ;) {
      await delay(SETTLED_AFTER_MS, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      const now = await readVersions(paths);
      if (now !== taken && now === last) {
        // The files may name others than before. Changes after this are noticed, whatever the reload reads.
        paths = this.#inUse.paths();
        taken = await readVersions(paths);
        last = taken;
        void this.request('file change');
      } else last = now;
    }
  }

  /** Called when the service stops. */
  endWatch(): void {
    this.#watch.abort();
  }

  /** Logs its last line when all processes use the new settings. */
  async #reload({ manager, reload, trail }: ReloadSteps, cause: ReloadCause): Promise<ReloadResult> {
    const inUse = this.#inUse;
    const before = inUse.shown;
    let changed: ReloadResult['changed'] = [];
    void manager.reloading();
    try {
      const renewal = inUse.readAgain();
      ({ changed } = renewal);
      const notTaken = await reload();
      inUse.goBack(notTaken.flatMap(({ names }) => names));
      const result = this.#report(before, renewal, notTaken);
      const what = result.changed.join(', ') || 'files only';
      void trail?.note(ACTORS[cause], 'settings reloaded', { cause, changed: what });
      return result;
    } catch (error) {
      // Not the fault of a file. The service continues, and the next reload finds the same changes.
      inUse.goBack(changed);
      this.#log.logger.error({ err: error }, BUG);
      return { changed: [], needRestart: [], wrong: [{ names: [], reason: `${BUG}.` }] };
    } finally {
      void manager.ready();
    }
  }

  /** Logs the result of a reload, with the states before and after of what has changed, and returns it. */
  #report(
    before: SettingsInUse['shown'],
    { needRestart, ...renewal }: ReloadResult,
    notTaken: readonly ReloadFailure[],
  ): ReloadResult {
    const { logger } = this.#log;
    const after = this.#inUse.shown;
    const wrong = [...renewal.wrong, ...notTaken];
    const wrongNames = new Set(wrong.flatMap(({ names }) => names));
    for (const { names, reason } of wrong)
      logger.error(
        { settings: names, reason },
        'reload failed, the previous settings and files stay in effect',
      );
    if (needRestart.length > 0)
      logger.warn({ settings: needRestart }, 'changed settings take effect after a restart');
    const changed = renewal.changed.filter((name) => !wrongNames.has(name));
    const states = (all: SettingsInUse['shown']) =>
      Object.fromEntries(changed.map((name) => [name, all[name]]));
    logger.info(
      { changed, before: states(before), after: states(after), wrong: [...wrongNames], needRestart },
      'reloaded settings and files',
    );
    return { changed, needRestart, wrong };
  }
}

const BUG = 'reload failed; restart the service';

/** Returns a text that differs when one of the files was changed, replaced, or became readable. */
async function readVersions(paths: readonly string[]): Promise<string> {
  const versions = paths.map(async (path) => {
    const { ino, mtimeNs, size, mode, uid, gid } = await stat(path, { bigint: true });
    return [ino, mtimeNs, size, mode, uid, gid].join();
  });
  const results = await Promise.allSettled(versions);
  return results.map((each) => (each.status === 'fulfilled' ? each.value : 'missing')).join('\n');
}

/** Applies the current settings and files to each part. @returns the settings that failed */
export function reloadAll(reloadables: readonly Reloadable[], config: Config): readonly ReloadFailure[] {
  const wrong = reloadables.flatMap((each) => {
    try {
      each.reload(config);
      return [];
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return [{ names: each.settings.filter((name) => (config[name] ?? '') !== ''), reason: error.message }];
    }
  });
  return withoutRepetitions(wrong);
}

/** Removes equal failures, of several parts or processes that read the same file. */
export function withoutRepetitions(wrong: readonly ReloadFailure[]): readonly ReloadFailure[] {
  return [...new Map(wrong.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Returns true if the terminal that started the service has closed, which sends the same signal to end its
 * programs.
 */
function isHungUp(): boolean {
  if (!process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
