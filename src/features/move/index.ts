import type { Feature } from '../feature';

export const commands: Required<Feature>['commands'] = {
  move: {
    about: 'copy everything to another database, SQLite or PostgreSQL',
    examples: [
      '--to postgres://school@db.example:5432/school',
      '--to sqlite:/var/lib/school/service.db',
      '--undo',
    ],
    load: async () => (await import('./command.js')).move,
  },
};
