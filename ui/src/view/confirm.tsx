// A question before something is changed for good.
import { useEffect, useRef } from "preact/hooks";
import { Store, useStore } from "../store.ts";

interface Question {
  title: string;
  text: string;
  verb: string;
  danger: boolean;
  answer: (yes: boolean) => void;
}

const question = new Store<Question | undefined>(undefined);

/** Asks the viewer; resolves to whether they agree. */
export function confirm(title: string, text: string, verb: string, danger = false): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      question.set(undefined);
      resolve(yes);
    };
    question.set({ title, text, verb, danger, answer });
  });
}

export function Confirm() {
  const asked = useStore(question);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (asked !== undefined) dialog.current?.showModal();
  }, [asked]);
  if (asked === undefined) return null;
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onCancel={() => asked.answer(false)}>
      <h2 id="confirm-title">{asked.title}</h2>
      <pre tabIndex={0}>{asked.text}</pre>
      <p class="actions">
        <button onClick={() => asked.answer(false)}>Cancel</button>
        <button
          class={asked.danger ? "danger" : "primary"}
          id="confirm-yes"
          onClick={() => asked.answer(true)}
        >
          {asked.verb}
        </button>
      </p>
    </dialog>
  );
}
