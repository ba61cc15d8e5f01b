// Refuses imports that the rooms of src/ do not allow. scripts/rooms.json names each room and those that it may import.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'scripts/rooms.json';

/**
 * From above to below: `{ "room": { "imports": ["room below", …] }, … }`. A room that `asksFeatures` may import the seam,
 * though the features are above it.
 */
function readRooms() {
  const rooms = JSON.parse(readFileSync(join(import.meta.dirname, FILE), 'utf8'));
  const names = Object.keys(rooms);
  for (const [at, name] of names.entries()) {
    const upwards = rooms[name].imports.find((other) => !names.slice(at + 1).includes(other));
    if (upwards !== undefined)
      throw new Error(`${FILE}: ${name} may import ${upwards}, which is no room below it.`);
  }
  return Object.entries(rooms);
}

const FEATURES = 'src/features';
const SEAM = `^${FEATURES}/feature\\.ts$`;

/** Returns each feature with those whose files it may use: its own `needs`. */
function readFeatures() {
  const folder = join(import.meta.dirname, FEATURES);
  if (!existsSync(folder)) return [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => {
    const index = readFileSync(join(folder, name, 'index.ts'), 'utf8');
    const [, needs = ''] = /^export const needs = \[(.*)\];$/m.exec(index) ?? [];
    return [name, [...needs.matchAll(/'([^']+)'/g)].map(([, needed]) => needed)];
  });
}

const insideOf = (room) => (room.endsWith('.ts') ? `^src/${room}$` : `^src/${room}/`);
const rooms = readRooms();

export default {
  forbidden: [
    ...rooms.map(([room, { imports, asksFeatures = false }]) => ({
      name: 'only-rooms-below',
      severity: 'error',
      from: { path: insideOf(room) },
      to: {
        path: '^src/',
        pathNot: [...[room, ...imports].map(insideOf), ...(asksFeatures ? [SEAM] : [])],
      },
    })),
    ...readFeatures().map(([feature, needs]) => ({
      name: 'only-features-it-needs',
      severity: 'error',
      from: { path: `^${FEATURES}/${feature}/` },
      to: {
        path: `^${FEATURES}/`,
        pathNot: [SEAM, ...[feature, ...needs].map((name) => `^${FEATURES}/${name}/`)],
      },
    })),
    ...rooms
      .filter(([room, { open = false }]) => !room.endsWith('.ts') && !open)
      .map(([room, { doors = [] }]) => ({
        name: 'only-through-the-index',
        severity: 'error',
        from: { path: '^(src|scripts)/', pathNot: insideOf(room) },
        to: { path: insideOf(room), pathNot: ['index.ts', ...doors].map((door) => `^src/${room}/${door}$`) },
      })),
    {
      name: 'only-rooms-of-the-list',
      severity: 'error',
      from: { path: '^src/', pathNot: rooms.map(([room]) => insideOf(room)) },
      to: {},
    },
    {
      name: 'no-circle',
      severity: 'error',
      from: { pathNot: `^${FEATURES}/` },
      to: { circular: true, viaOnly: { pathNot: `^${FEATURES}/` } },
    },
    {
      // The features' members have types of the rooms that ask for them, and import their own files when called.
      name: 'no-circle-as-it-loads',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(scripts|test)/' },
    },
    {
      // The first ring starts no other program: the ends of the other names say what they need.
      name: 'first-ring-without-programs',
      severity: 'error',
      from: {
        path: '^test/.*\\.test\\.ts$',
        pathNot: '\\.(?:program|database|browser|endurance)\\.test\\.ts$|^test/endurance/',
      },
      to: { path: '^(?:node:)?child_process$' },
    },
    { name: 'scripts-without-test', severity: 'error', from: { path: '^scripts/' }, to: { path: '^test/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types, too.
    tsPreCompilationDeps: true,
  },
};
