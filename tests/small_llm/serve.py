"""SmolLM2-135M-Instruct behind the OpenAI protocol, for `make test-llm`, without factmill.

    python serve.py MODEL.gguf LOG.jsonl [TOKENS]   prints its address, serves until its input ends

Transformers reads the GGUF file. The model writes what is most likely, in its own words: a schema
is accepted and not enforced, as with servers that cannot. Each request is a line of LOG: its step,
its tokens. One request at a time, of at most TOKENS tokens (96).
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MAX_TOKENS = 96


class Model:
    """The tokenizer and the weights; `complete` may be called from several threads."""

    def __init__(self, path: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._torch = torch
        files = {"gguf_file": path.name}
        self._tokenizer = AutoTokenizer.from_pretrained(path.parent, **files)
        self._model = AutoModelForCausalLM.from_pretrained(
            path.parent, **files, dtype=torch.float32
        ).eval()
        self._free = threading.Lock()

    def complete(self, messages: list[dict[str, str]], most: int) -> tuple[str, int, int]:
        """What the model says, the tokens of the prompt and those it wrote."""
        shown = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
        prompt = self._tokenizer(f"{shown}<|im_start|>assistant\n", return_tensors="pt")
        with self._free, self._torch.inference_mode():
            written = self._model.generate(**prompt, max_new_tokens=most, do_sample=False)
        count = prompt["input_ids"].shape[1]
        new = written[0, count:]
        return self._tokenizer.decode(new, skip_special_tokens=True), count, len(new)


def handler(model: Model, log: Path, most_tokens: int) -> type[BaseHTTPRequestHandler]:
    """The class that answers requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            wanted = body.get("max_tokens") or body.get("max_completion_tokens") or most_tokens
            most = min(most_tokens, wanted)
            text, prompt_tokens, written = model.complete(body["messages"], most)
            step = self.headers.get("X-Factmill-Step", "")
            line = {"step": step, "prompt_tokens": prompt_tokens, "completion_tokens": written}
            with log.open("a") as lines:
                lines.write(json.dumps(line) + "\n")
            self._send(
                {
                    "id": "completion", "object": "chat.completion", "created": 0,
                    "model": body["model"],
                    "choices": [
                        {
                            "index": 0, "message": {"role": "assistant", "content": text},
                            "finish_reason": "length" if written >= most else "stop",
                        }
                    ],
                    "usage": {
                        "prompt_tokens": prompt_tokens, "completion_tokens": written,
                        "total_tokens": prompt_tokens + written,
                    },
                }
            )  # fmt: skip

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": "smollm2", "object": "model"}]})

        def _send(self, document: Any) -> None:
            data = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Standard error is for errors."""

    return Handler


def main() -> None:
    model = Model(Path(sys.argv[1]))
    most_tokens = int(sys.argv[3]) if len(sys.argv) > 3 else MAX_TOKENS
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(model, Path(sys.argv[2]), most_tokens))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
