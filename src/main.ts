#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Bundle = typeof import('./cli');

/** The program with its packages, which `scripts/build.cjs` writes. */
const BUNDLE = join(__dirname, 'service.js');
const { arch, platform, version } = process;
/** Holds what V8 compiled of it, a third of a start's CPU time. `scripts/code-cache.cjs` writes it. */
export const CODE_CACHE = join(__dirname, `service-${version}-${platform}-${arch}.cache`);

/**
 * Compiles the bundle.
 *
 * @param cachedData - what V8 compiled earlier; ignored if that was another version, or had other options, or
 *   if the bundle had another length
 */
export function compileBundle(cachedData?: Buffer): Script {
  // Nothing but ASCII, which V8 reads and keeps as it is.
  return new Script(wrap(readFileSync(BUNDLE, 'latin1')), {
    filename: BUNDLE,
    ...(cachedData !== undefined && { cachedData }),
  });
}

/** Runs the compiled bundle as Node.js runs a module. */
export function runBundle(script: Script): Bundle {
  const module = { exports: {} };
  const run = script.runInThisContext() as (...names: readonly unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(BUNDLE), module, BUNDLE, dirname(BUNDLE));
  return module.exports as Bundle;
}

function loadBundle(): Bundle {
  const cachedData = readCodeCache();
  if (cachedData !== undefined) return runBundle(compileBundle(cachedData));
  return createRequire(BUNDLE)(BUNDLE) as Bundle;
}

function readCodeCache(): Buffer | undefined {
  // Both are about modules that Node.js loads itself.
  if (process.sourceMapsEnabled || process.env['NODE_V8_COVERAGE'] !== undefined) return undefined;
  try {
    return readFileSync(CODE_CACHE);
  } catch {
    return undefined;
  }
}

if (require.main === module) void loadBundle().program();
