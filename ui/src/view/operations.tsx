// The server at work: requests, latency, watchers, store, health and feature gates.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, getText } from "../client.ts";
import { parseMetrics, sum, type Sample } from "../metrics.ts";
import { session } from "../session.ts";
import { useLoaded, useStore, words } from "../store.ts";

const EVERY_MS = 2000;
const POINTS = 90;

interface Series {
  title: string;
  unit: string;
  /** From two readings of the metrics, `seconds` apart. */
  read: (now: Sample[], before: Sample[], seconds: number) => number;
}

const rate = (name: string) => (now: Sample[], before: Sample[], seconds: number) =>
  Math.max(0, (sum(now, name) - sum(before, name)) / seconds);

function latency(now: Sample[], before: Sample[]): number {
  const [total, count] = ["sum", "count"].map((part) => {
    const name = `apiserver_request_duration_seconds_${part}`;
    const short = (labels: Record<string, string>) => labels.verb !== "WATCH";
    return sum(now, name, short) - sum(before, name, short);
  });
  return count ? ((total ?? 0) / count) * 1000 : 0;
}

const SERIES: Series[] = [
  { title: "Requests", unit: "/s", read: rate("apiserver_request_total") },
  { title: "Latency, mean", unit: "ms", read: latency },
  { title: "In flight", unit: "", read: (now) => sum(now, "apiserver_current_inflight_requests") },
  { title: "Watchers", unit: "", read: (now) => sum(now, "apiserver_longrunning_requests") },
  { title: "Objects stored", unit: "", read: (now) => sum(now, "apiserver_storage_objects") },
  { title: "Memory", unit: "MiB", read: (now) => sum(now, "process_resident_memory_bytes") / 2 ** 20 },
  {
    title: "Processor",
    unit: "%",
    read: (now, before, seconds) => 100 * rate("process_cpu_seconds_total")(now, before, seconds),
  },
];

interface Gate {
  name: string;
  stage: string;
  on: boolean;
}

interface Reading {
  plots: number[][];
  revision: string;
  revisions: number[];
  mismatches: number;
  gates: Gate[];
  error: string;
}

const EMPTY: Reading = {
  plots: SERIES.map(() => []),
  revision: "",
  revisions: [],
  mismatches: 0,
  gates: [],
  error: "",
};

export function Operations() {
  const reading = useReadings();
  const gates = useStore(session).about?.gates ?? reading.gates;
  const health = useLoaded((signal) => getText("/readyz?verbose", { signal }), [reading.plots[0]?.length]);
  const last = useRef("");
  if (health.value !== undefined) last.current = health.value;
  // What is below the checks comes after them, so that it need not move.
  const known = last.current !== "" || health.error !== undefined;
  const checks = last.current.split("\n").filter((it) => it.startsWith("["));
  return (
    <div class="page operations">
      <h1>Operations</h1>
      {reading.error !== "" && (
        <p class="error" role="alert">
          {reading.error}
        </p>
      )}
      <ul class="plots">
        {SERIES.map((series, index) => (
          <Plot
            key={series.title}
            title={series.title}
            unit={series.unit}
            values={reading.plots[index] ?? []}
          />
        ))}
        <Plot title={`Revision ${reading.revision}`} unit="/s" values={reading.revisions} />
      </ul>
      <section>
        <h2>Health</h2>
        <ul class="checks">
          {checks.map((it) => (
            <li key={it} class={it.startsWith("[+]") ? "well" : "ill"}>
              {it.replace(/^\[.\]/, "")}
            </li>
          ))}
        </ul>
        {health.error !== undefined && (
          <p class="error" role="alert">
            {health.error}
          </p>
        )}
      </section>
      {known && (
        <section>
          <h2>Declarative validation</h2>
          <p>{reading.mismatches} mismatches between declared and hand-written validation.</p>
        </section>
      )}
      {known && gates.length > 0 && (
        <section>
          <h2>Feature gates</h2>
          <ul class="gates">
            {gates.map((it) => (
              <li key={it.name} class={it.on ? "on" : "off"}>
                {it.name} <span class="chip">{it.stage.toLowerCase()}</span> <b>{it.on ? "on" : "off"}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The gates that the metrics of a cluster tell. */
function gatesOf(samples: Sample[]): Gate[] {
  const gates = samples.filter((it) => it.name === "kubernetes_feature_enabled");
  return gates.map((it) => ({
    name: it.labels.name ?? "",
    stage: it.labels.stage ?? "",
    on: it.value === 1,
  }));
}

/** The newest revision of the store, as a list of nothing tells it. */
async function revisionNow(signal: AbortSignal): Promise<string> {
  const list = await get<{ metadata: { resourceVersion?: string } }>("/api/v1/namespaces?limit=1", {
    signal,
  });
  return list.metadata.resourceVersion ?? "";
}

function useReadings(): Reading {
  const [reading, setReading] = useState(EMPTY);
  useEffect(() => {
    const abort = new AbortController();
    let before: { samples: Sample[]; time: number; revision: number } | undefined;
    const look = async () => {
      try {
        const samples = parseMetrics(await getText("/metrics", { signal: abort.signal }));
        const revision = await revisionNow(abort.signal).catch(() => "");
        const time = performance.now();
        const earlier = before ?? { samples, time: time - EVERY_MS, revision: Number(revision) };
        const seconds = (time - earlier.time) / 1000;
        const written = Math.max(0, (Number(revision) - earlier.revision) / seconds);
        const push = (values: number[], value: number) =>
          [...values, Number.isFinite(value) ? value : 0].slice(-POINTS);
        setReading((known) => ({
          plots: SERIES.map((it, index) =>
            push(known.plots[index] ?? [], it.read(samples, earlier.samples, seconds)),
          ),
          revision,
          revisions: push(known.revisions, written),
          mismatches: sum(samples, "apiserver_validation_declarative_validation_mismatch_total"),
          gates: gatesOf(samples),
          error: "",
        }));
        before = { samples, time, revision: Number(revision) };
      } catch (error) {
        if (!abort.signal.aborted) setReading((known) => ({ ...known, error: words(error) }));
      }
    };
    void look();
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, []);
  return reading;
}

const [WIDTH, HEIGHT] = [240, 56];

function Plot({ title, unit, values }: { title: string; unit: string; values: number[] }) {
  const newest = values.at(-1) ?? 0;
  const top = Math.max(...values, 1e-9) * 1.15;
  const point = (value: number, index: number) =>
    `${((POINTS - values.length + index) / (POINTS - 1)) * WIDTH},${HEIGHT - (value / top) * (HEIGHT - 4) - 2}`;
  const line = values.map(point).join(" ");
  return (
    <li class="plot">
      <h3>{title}</h3>
      <p>
        <b>{number(newest)}</b> {unit}
      </p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${number(newest)} ${unit}`}
      >
        <polyline points={line} />
      </svg>
    </li>
  );
}

function number(value: number): string {
  if (value >= 1000) return value.toFixed(0);
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2);
}
