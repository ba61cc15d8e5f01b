// Refuses imports that the table of rooms in docs/architecture.md does not allow. A room is a folder or a file of src/
// that has a row there; its doors are the rooms named in the row's last column.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const DOCUMENT = 'docs/architecture.md';
const TABLE = /<!-- doors: begin -->(.*)<!-- doors: end -->/s;
const ROW = /^\| `(src\/[^`]+)` .*\|([^|]*)\|$/gm;

/** The rows, from above to below: which room, and which others it may import. */
function readRooms(document) {
  const table = TABLE.exec(document)?.[1] ?? '';
  const rooms = [...table.matchAll(ROW)].map(([, path, doors]) => ({
    path,
    // Named as seen from the room: those beside it.
    doors: [...doors.matchAll(/`([^`]+)`/g)].map(([, name]) => posix.join(posix.dirname(path), name)),
  }));
  if (rooms.length === 0) throw new Error(`${DOCUMENT} has no table of rooms.`);
  rooms.forEach(({ path, doors }, row) => {
    const below = rooms.slice(row + 1).map((room) => room.path);
    const upwards = doors.find((door) => !below.includes(door));
    if (upwards !== undefined) {
      throw new Error(`${DOCUMENT}: ${path} may import ${upwards}, which is no row below it.`);
    }
  });
  return rooms;
}

const rooms = readRooms(readFileSync(join(import.meta.dirname, DOCUMENT), 'utf8'));
const insideOf = (path) => (path.endsWith('.ts') ? `^${path}$` : `^${path}/`);
const roomAround = (path) => rooms.find((room) => path.startsWith(`${room.path}/`));

/** A room imports itself and what its row names; one inside another goes through the doors of that, too. */
function doorsOf({ path, doors }) {
  const around = roomAround(path);
  const inside = rooms.filter((room) => roomAround(room.path)?.path === path);
  return {
    name: 'only-doors-of-the-table',
    severity: 'error',
    from: { path: insideOf(path), pathNot: inside.map((room) => insideOf(room.path)) },
    to: { path: '^src/', pathNot: [path, ...doors, ...(around?.doors ?? [])].map(insideOf) },
  };
}

function entranceOf({ path }) {
  return {
    name: 'only-through-the-index',
    severity: 'error',
    from: { path: '^(src|scripts)/', pathNot: insideOf(path) },
    to: { path: insideOf(path), pathNot: `^${path}/index\\.ts$` },
  };
}

export default {
  forbidden: [
    ...rooms.map(doorsOf),
    ...rooms.filter(({ path }) => !path.endsWith('.ts')).map(entranceOf),
    {
      name: 'only-rooms-of-the-table',
      severity: 'error',
      from: { path: '^src/', pathNot: rooms.map(({ path }) => insideOf(path)) },
      to: {},
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(scripts|test)/' },
    },
    { name: 'scripts-without-test', severity: 'error', from: { path: '^scripts/' }, to: { path: '^test/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types, too.
    tsPreCompilationDeps: true,
  },
};
