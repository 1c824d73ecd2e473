/** Texts that have not been submitted, kept in this tab per starting point. */
const PREFIX = "windtunnel-draft:";

/** The size of a text in bytes if it is more than so many; else null. Long texts are not encoded. */
export function tooLarge(text: string, most: number): number | null {
  if (text.length > most) return text.length;
  if (text.length * 3 <= most) return null;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > most ? bytes : null;
}

export function readDraft(start: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + start);
  } catch {
    return null;
  }
}

/** Keep a draft; null removes it. A browser without storage keeps none. */
export function keepDraft(start: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(PREFIX + start);
    else sessionStorage.setItem(PREFIX + start, text);
  } catch {
    // Storage is full or switched off: the text is in the editor only.
  }
}

/** Starting points that have a draft. */
export function drafts(): string[] {
  try {
    return Object.keys(sessionStorage)
      .filter((key) => key.startsWith(PREFIX))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** The file of an empty start: the least that is valid, with what else there is in comments. */
export const EMPTY = `# The least that a campaign needs. Ctrl-Space completes; hover over a field for what it means.
name: my-campaign
# description: What you want to find out.
scenario:
  topology: {kind: dumbbell, pairs: 2}
  workload: {kind: bulk, flows: 2}
  duration: 10s
  warmup: 1s
sweep:
  algorithm: [newreno, cubic]
  # any path of the scenario can be an axis, for example:
  # topology.queue.limit: [1bdp, 4bdp]
replications: 3
baseline: {algorithm: newreno}
# series: [{probe: cwnd, at: flows}]
# gates:
#   - {metric: packet_delay_ms_p99, cells: {algorithm: cubic}, against: baseline, require: not worse than 5 %}
`;
