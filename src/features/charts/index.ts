import type { Feature } from '../feature';
import { TURKISH } from './turkish';

export const texts = { tr: TURKISH };

/** Adds the activity of the service to the overview, and what draws plots to every page. */
export const openConsole: Required<Feature>['openConsole'] = async ({ store, liveEveryMs, now }) => {
  const [{ activityPart }, { plotAssets }] = await Promise.all([
    import('./activity.js'),
    import('./plot-assets.js'),
  ]);
  return { overview: activityPart(store, liveEveryMs, now), assets: plotAssets() };
};
