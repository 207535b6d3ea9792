// Metrics in the text form that Prometheus reads.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export function parseMetrics(text: string): Sample[] {
  const found: Sample[] = [];
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (match === null) continue;
    const labels: Record<string, string> = {};
    for (const pair of (match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels[pair[1] ?? ""] = (pair[2] ?? "").replace(/\\(.)/g, (_, it: string) => (it === "n" ? "\n" : it));
    }
    found.push({ name: match[1] ?? "", labels, value: Number(match[3]) });
  }
  return found;
}

export function sum(
  samples: readonly Sample[],
  name: string,
  fits: (labels: Record<string, string>) => boolean = () => true,
): number {
  return samples.reduce((all, it) => (it.name === name && fits(it.labels) ? all + it.value : all), 0);
}
