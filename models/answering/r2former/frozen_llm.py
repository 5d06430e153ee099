"""An LLM on this machine that reads vectors instead of tokens, through transformers.

    prompt -> vectors of its tokens -> retrieval embeddings at their positions -> the LLM
           -> what it writes, greedily; or the loss of an answer, for training

Its weights never change; an adapter may stand beside them (`lora_adapter.py`). A model is a folder
that transformers reads, or one GGUF file. Nothing is downloaded, and no code of the folder is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

from factmill.models.answering.r2former.retrieval_prompt import RetrievalPrompt, Turn
from factmill.models.llm.completion import Completion, Usage
from factmill.schemas.errors import MissingExtra, OptionError

EXTRA = "r2ag"
# Stands for the user's words while the chat template is read.
_WORDS = "WORDS-OF-THE-USER"
_MAX_TOKENS = 8192


class FrozenLlm:
    """A causal language model. `torch` is imported with it."""

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        """`model` and `tokenizer` are those of transformers."""
        self.model, self._tokenizer, self.name = model.eval(), tokenizer, name
        for parameter in model.parameters():
            parameter.requires_grad_(False)
        self.turn = _turn(tokenizer)
        self._end = _end_of_answer(tokenizer)
        # Not with an adapter, which changes what the opening's keys and values are.
        self.keeps_opening = True
        # What every prompt opens with, as tokens, and their keys and values in each layer.
        self._opening: tuple[tuple[int, ...], list[tuple[Any, Any]]] | None = None

    @classmethod
    def load(
        cls,
        path: Path,
        precision: str = "float32",
        attention: str = "sdpa",
        device: str = "cpu",
    ) -> FrozenLlm:
        """`precision` is the name of one of PyTorch's types, `attention` that of one of
        transformers' implementations, `device` that of one of PyTorch's. Raises MissingExtra
        without transformers, OptionError for a path without a model and for a device that this
        machine lacks.
        """
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise MissingExtra(str(error.name).split(".")[0], EXTRA) from None
        if not path.exists():
            raise OptionError(f"--llm-folder {path}: there is nothing")
        check_device(device)
        folder, files = (path, {}) if path.is_dir() else (path.parent, {"gguf_file": path.name})
        options = {**files, "local_files_only": True, "trust_remote_code": False}
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, **options)
            dtype = getattr(torch, precision)
            model = AutoModelForCausalLM.from_pretrained(
                folder, dtype=dtype, attn_implementation=attention, **options
            )
        except ImportError as error:
            if path.is_dir():
                raise
            raise MissingExtra(str(error.name or "gguf"), EXTRA) from None
        except (OSError, ValueError, KeyError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise OptionError(f"--llm-folder {path}: not a model ({said[0][:200]})") from None
        return cls(model.to(device), tokenizer, path.name)

    def save(self, folder: Path) -> None:
        """Write it as a folder that transformers and vLLM read; vLLM reads no GGUF file."""
        import torch

        config = copy(self.model.config)
        # What a GGUF file says of itself. Its weights were unpacked when they were loaded.
        vars(config).pop("quantization_config", None)
        with torch.device("meta"):
            whole = type(self.model)(config)
        whole.load_state_dict(self.model.state_dict(), assign=True)
        whole.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    @property
    def width(self) -> int:
        """Of the embeddings."""
        return int(self.model.get_input_embeddings().weight.shape[1])

    @property
    def longest(self) -> int:
        """Tokens that it reads and writes together."""
        return min(_MAX_TOKENS, int(self.model.config.max_position_embeddings))

    def tokenise(self, text: str) -> list[int]:
        """Tokens of a text; marks of turns in it are plain text."""
        found = self._tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        return list(found["input_ids"])

    def vector_of(self, text: str) -> Any:
        """The mean vector of a text's tokens, a tensor of shape (width,)."""
        table = self.model.get_input_embeddings().weight
        return table[self.tokenise(text)].float().mean(dim=0).cpu()

    def vectors(self, prompt: RetrievalPrompt, embeddings: Any = None) -> Any:
        """What the LLM reads: a tensor of shape (1, tokens, width). `embeddings`, shape (documents,
        width), stand at the positions of the prompt; a tensor passes gradients."""
        import torch

        device = self.model.device
        tokens = torch.tensor([prompt.tokens], device=device)
        found = self.model.get_input_embeddings()(tokens)
        if not prompt.positions:
            return found
        given = torch.as_tensor(embeddings, device=device).to(found.dtype)
        positions = torch.tensor(prompt.positions, device=device)
        return found.index_copy(1, positions, given[None, : len(prompt.positions)])

    def written(self, vectors: Any, most: int) -> Completion:
        """What the LLM writes after the vectors, most likely token by token, `most` of them."""
        return self.written_together([vectors], most)[0]

    def written_together(self, prompts: Sequence[Any], most: int) -> list[Completion]:
        """What the LLM writes after the vectors of each prompt, in one batch."""
        import torch

        # The padding stands in front: what is written goes on from the end.
        batch = torch.nn.utils.rnn.pad_sequence(
            [one[0] for one in prompts], batch_first=True, padding_side="left"
        )
        lengths = torch.tensor([one.shape[1] for one in prompts], device=batch.device)
        with torch.inference_mode():
            found = self.model.generate(
                inputs_embeds=batch,
                attention_mask=(
                    torch.arange(batch.shape[1], device=batch.device)[None]
                    >= batch.shape[1] - lengths[:, None]
                ).long(),
                max_new_tokens=most, do_sample=False, temperature=None, top_p=None, top_k=None,
                pad_token_id=self._end,
            ).tolist()  # fmt: skip
        return [
            self._completion(tokens, int(length), most)
            for tokens, length in zip(found, lengths, strict=True)
        ]

    def _completion(self, tokens: list[int], prompt: int, most: int) -> Completion:
        """Of the tokens that were written, and the ends that fill a batch behind them."""
        count = len(tokens)
        while count and tokens[count - 1] == self._end:
            count -= 1
        count = min(count + 1, len(tokens))
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        return Completion(text.strip(), count >= most, Usage(1, prompt, count))

    def answer_loss(self, prompt: RetrievalPrompt, embeddings: Any, answer: Sequence[int]) -> Any:
        """The mean cross-entropy of the tokens of an answer and the end behind it (R2AG's language
        modelling loss); a tensor, which passes gradients to the embeddings. What every prompt opens
        with is read once, unless an adapter may change how it is read."""
        import torch

        device = self.model.device
        kept = prompt.opening if self.keeps_opening else 0
        tokens = torch.tensor([[*answer, self._end]], device=device)
        told = self.model.get_input_embeddings()(tokens[:, :-1])
        # The last token is told by what comes before it.
        read = torch.cat([self.vectors(prompt, embeddings)[:, kept:], told], dim=1)
        logits = self.model(
            inputs_embeds=read, use_cache=kept > 0, logits_to_keep=tokens.shape[1],
            past_key_values=self._opened(prompt.tokens[:kept]) if kept else None,
        ).logits  # fmt: skip
        return torch.nn.functional.cross_entropy(logits[0].float(), tokens[0])

    def _opened(self, tokens: tuple[int, ...]) -> Any:
        """A cache of keys and values that holds these tokens, for one prompt to be read into."""
        import torch
        from transformers import DynamicCache

        if self._opening is None or self._opening[0] != tokens:
            with torch.no_grad():
                read = self.model(torch.tensor([tokens], device=self.model.device), use_cache=True)
            kept = [(layer.keys, layer.values) for layer in read.past_key_values.layers]
            self._opening = (tokens, kept)
        # Reading appends: each prompt has its own cache.
        cache = DynamicCache(config=self.model.config)
        for layer, (keys, values) in enumerate(self._opening[1]):
            cache.update(keys, values, layer)
        return cache


def check_device(name: str) -> None:
    """Raises OptionError unless PyTorch can compute on a device of this name here."""
    import torch

    try:
        torch.zeros(1, device=name).tolist()
    # PyTorch says so by an AssertionError where it was built without CUDA.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise OptionError(f"--device {name}: not on this machine ({said[0][:200]})") from None


def _turn(tokenizer: Any) -> Turn:
    """What surrounds a user's words; the beginning of a text for a model without chat."""
    if not getattr(tokenizer, "chat_template", None):
        first = tokenizer.bos_token_id
        return Turn(() if first is None else (first,), ())
    shown = tokenizer.apply_chat_template(
        [{"role": "user", "content": _WORDS}], tokenize=False, add_generation_prompt=True
    )
    before, _, after = shown.partition(_WORDS)
    tokens = [tokenizer(one, add_special_tokens=False)["input_ids"] for one in (before, after)]
    return Turn(*map(tuple, tokens))


def _end_of_answer(tokenizer: Any) -> int:
    """The token behind an answer in a chat. A tokenizer's own end may be another: transformers 5.17
    takes the mark that begins a turn for it when it reads SmolLM2's GGUF file."""
    behind = ""
    if getattr(tokenizer, "chat_template", None):
        roles = ("user", "assistant")
        shown = tokenizer.apply_chat_template(
            [{"role": role, "content": _WORDS} for role in roles], tokenize=False
        )
        behind = shown.partition(_WORDS)[2].partition(_WORDS)[2].lstrip()
    tokens = tokenizer(behind, add_special_tokens=False)["input_ids"]
    return int(tokens[0] if tokens else tokenizer.eos_token_id)
