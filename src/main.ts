#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Bundle = typeof import('./cli');

/** The program with its packages, which `scripts/build.cjs` writes. */
const BUNDLE = join(__dirname, 'service.js');
/**
 * Characters of the bundle's last line, which no other bundle has: V8 compares their lengths alone. It is a
 * multiple of 8, because V8 copies compiled code that begins anywhere else.
 */
const ID_LENGTH = 72;
const { arch, platform, version } = process;
/**
 * Holds the last line of the bundle and what V8 compiled of it, a third of a start's CPU time.
 * `scripts/code-cache.cjs` writes it.
 */
export const CODE_CACHE = join(__dirname, `service-${version}-${platform}-${arch}.cache`);

/**
 * Compiles the bundle.
 *
 * @param codeCache - from the file of compiled code; ignored if it is of another bundle, or if V8 had another
 *   version or other options
 */
export function compileBundle(codeCache?: Buffer): Script {
  // Nothing but ASCII, which V8 reads and keeps as it is.
  const text = readFileSync(BUNDLE, 'latin1');
  const isOfBundle = codeCache?.toString('latin1', 0, ID_LENGTH) === text.slice(-ID_LENGTH);
  return new Script(wrap(text), {
    filename: BUNDLE,
    ...(isOfBundle && { cachedData: codeCache.subarray(ID_LENGTH) }),
  });
}

/** Returns what the file of compiled code is to hold: of all that has run until now. */
export function codeCacheOf(script: Script): Buffer {
  return Buffer.concat([readFileSync(BUNDLE).subarray(-ID_LENGTH), script.createCachedData()]);
}

/** Runs the compiled bundle as Node.js runs a module. */
export function runBundle(script: Script): Bundle {
  const module = { exports: {} };
  const run = script.runInThisContext() as (...names: readonly unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(BUNDLE), module, BUNDLE, dirname(BUNDLE));
  return module.exports as Bundle;
}

function loadBundle(): Bundle {
  const codeCache = readCodeCache();
  if (codeCache !== undefined) return runBundle(compileBundle(codeCache));
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
