import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import { runCommand } from '../../interop/run-command';
import { type Instruction, type Stage, stagesOf } from './containerfile';

const RUN_IN_CHROOT = join(PACKAGE_ROOT, 'test', 'packaging', 'image', 'run-in-chroot.sh');

/** A stage under way. */
interface Made {
  readonly stage: Stage;
  readonly root: string;
  /** As an image has it. */
  readonly config: Record<string, unknown>;
}

/** Where files are copied from: the folder beside the Containerfile, or a stage. */
type FolderOf = (stage: string | undefined) => string;

const STEPS: Readonly<
  Record<string, (made: Made, instruction: Instruction, folderOf: FolderOf) => Promise<void> | void>
> = {
  COPY: async ({ root }, { flags, rest }, folderOf) => {
    const [from = '', to = ''] = rest.split(/\s+/);
    const target = join(root, to);
    mkdirSync(dirname(target), { recursive: true });
    const source = join(folderOf(flags['from']), from);
    await inFolder(root, 'cp', '-aT', '--no-preserve=ownership', source, target);
    await inFolder(root, 'chown', '-R', flags['chown'] ?? '0:0', target);
  },
  RUN: async ({ stage: { args }, root }, { rest }) => {
    const variables = Object.entries(args).map(([name, value]) => `${name}=${value}`);
    await inFolder(root, 'unshare', '--mount', 'bash', RUN_IN_CHROOT, root, rest, ...variables);
  },
  USER: ({ config }, { rest }) => void (config['User'] = rest),
  WORKDIR: ({ config }, { rest }) => void (config['WorkingDir'] = rest),
  VOLUME: ({ config }, { rest }) => void (config['Volumes'] = { [rest]: {} }),
  EXPOSE: ({ config }, { rest }) => void (config['ExposedPorts'] = { [`${rest}/tcp`]: {} }),
  ENV: ({ config }, { rest }) => void (config['Env'] = rest.split(/\s+/)),
  ENTRYPOINT: ({ config }, { rest }) => void (config['Entrypoint'] = JSON.parse(rest)),
  CMD: ({ config }, { rest }) => void (config['Cmd'] = JSON.parse(rest)),
  HEALTHCHECK: ({ config }, { rest }) => {
    config['Healthcheck'] = { Test: ['CMD', ...words(rest.replace(/^CMD\s+/, ''))] };
  },
};

/**
 * Follows the steps of packaging/Containerfile in a chroot, where no buildah is. Leaves in the folder what
 * build-with-buildah.sh does: what is in the image in `root`, and its configuration in `image.json`.
 *
 * @param packed - file of the package
 * @param folder - with what bases.sh made
 * @throws Error where a step fails, or is one that it does not know
 */
export async function buildInChroot(packed: string, folder: string): Promise<void> {
  const context = join(folder, 'context');
  mkdirSync(context);
  copyFileSync(packed, join(context, basename(packed)));
  const text = readFileSync(join(PACKAGE_ROOT, 'packaging', 'Containerfile'), 'utf8');
  const made: Made[] = [];
  const folderOf: FolderOf = (name) => {
    if (name === undefined) return context;
    const found = made.find(({ stage }) => stage.name === name);
    if (found === undefined) throw new Error(`There is no stage ${name}`);
    return found.root;
  };
  for (const stage of stagesOf(text, { BUILD: 'build', RUNTIME: 'runtime', FILE: basename(packed) })) {
    const root = join(folder, `stage-${String(made.length)}`);
    mkdirSync(root);
    await inFolder(folder, 'tar', '--extract', '--file', `${stage.base}.tar`, '--directory', root);
    const current: Made = { stage, root, config: {} };
    for (const instruction of stage.instructions) {
      const step = STEPS[instruction.name];
      if (step === undefined) throw new Error(`Not known in a Containerfile: ${instruction.name}`);
      await step(current, instruction, folderOf);
    }
    made.push(current);
  }
  const last = made.at(-1);
  if (last === undefined) throw new Error('The Containerfile has no stage');
  writeFileSync(join(folder, 'image.json'), JSON.stringify({ config: last.config }));
  symlinkSync(last.root, join(folder, 'root'));
}

function words(json: string): readonly string[] {
  // The form of a command that needs no shell.
  return JSON.parse(json) as readonly string[];
}

async function inFolder(folder: string, command: string, ...args: readonly string[]): Promise<void> {
  await runCommand(command, args, { folder });
}
