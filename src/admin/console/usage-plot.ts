import { type Calendar, dayAfter } from '../../store';
import { USAGE_STATES, type UsageReport } from '../usage';
import type { Plot } from './plot-part';

/** The days of a month by what became of their messages, those to come left out. @param report - by day */
export function usagePlot(
  { lines, total }: UsageReport,
  month: string,
  today: string,
  calendar: Calendar,
): Plot {
  const byDay = new Map(lines.map((line) => [line.name, line]));
  const columns = USAGE_STATES.filter((state) => total.states[state] > 0);
  const days: string[] = [];
  for (let day = `${month}-01`; day.startsWith(month) && day <= today; day = dayAfter(day)) days.push(day);
  return {
    ...{ id: 'days', title: 'Messages by day', unit: 'messages', columns },
    rows: days.map((day) => {
      const [from, to] = [day, dayAfter(day)].map((each) => calendar.startOf(each));
      return {
        at: from ?? 0,
        values: columns.map((state) => byDay.get(day)?.states[state] ?? 0),
        link: `/messages?newer-than=${isoOf(from)}&older-than=${isoOf(to)}`,
      };
    }),
  };
}

function isoOf(time = 0): string {
  return new Date(time).toISOString();
}
